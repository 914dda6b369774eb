#include "server/http/http_server.h"

#include <httplib.h>

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/metrics/registry.h"

namespace alt::http {
namespace {

constexpr int kThreads = 2;
constexpr size_t kMaxBodyBytes = 64 << 10;
constexpr int kTimeoutSeconds = 5;

class HttplibServer : public HttpServer {
 public:
  explicit HttplibServer(std::function<std::string()> metrics_text) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // Without SO_REUSEPORT, which the library sets: two servers on one port would each get a part.
    server_.set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    server_.set_payload_max_length(kMaxBodyBytes);
    server_.set_read_timeout(kTimeoutSeconds);
    server_.set_write_timeout(kTimeoutSeconds);
    server_.set_keep_alive_max_count(100);
    server_.set_keep_alive_timeout(kTimeoutSeconds);
    server_.Get("/metrics", [metrics_text = std::move(metrics_text)](const httplib::Request&,
                                                                     httplib::Response& response) {
      response.set_content(metrics_text(), metrics::Registry::TextContentType());
    });
  }

  ~HttplibServer() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  absl::Status Listen(const std::string& host, int port) {
    port_ = port;
    if (port == 0) {
      port_ = server_.bind_to_any_port(host);
    } else if (!server_.bind_to_port(host, port)) {
      port_ = -1;
    }
    if (port_ <= 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", host, ":", port, " for HTTP: is the port in use?"));
    }
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // Before that, stop would be forgotten.
    while (!server_.is_running()) std::this_thread::yield();
    return absl::OkStatus();
  }

  int port() const override { return port_; }

 private:
  httplib::Server server_;
  std::thread thread_;
  int port_ = -1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    absl::string_view listen, std::function<std::string()> metrics_text) {
  const size_t colon = listen.rfind(':');
  if (colon == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("--http=", listen, ": not HOST:PORT"));
  }
  ALT_ASSIGN_OR_RETURN(const int64_t port,
                       base::ParseIntInRange("port", listen.substr(colon + 1), 0, 65535),
                       base::Annotate(_, absl::StrCat("--http=", listen)));
  auto server = std::make_unique<HttplibServer>(std::move(metrics_text));
  ALT_RETURN_IF_ERROR(server->Listen(std::string(listen.substr(0, colon)), static_cast<int>(port)));
  return server;
}

}  // namespace alt::http
