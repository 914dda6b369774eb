#include "server/http/http_server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/base/thread_pool.h"
#include "common/base/unique_fd.h"
#include "common/metrics/registry.h"

namespace alt::http {
namespace {

// Slow clients hold a thread each, for as long as a request may take; more than wait are closed.
constexpr int kThreads = 32;
constexpr size_t kMostWaiting = 64;
constexpr size_t kMaxBodyBytes = 64 << 10;
constexpr absl::Duration kRequestTime = absl::Seconds(5);

// A connection that must be done by a moment, however its bytes trickle.
class DeadlineStream : public httplib::Stream {
 public:
  DeadlineStream(int socket, std::chrono::steady_clock::time_point deadline)
      : socket_(socket), deadline_(deadline) {}

  bool is_readable() const override { return Await(POLLIN); }
  bool is_writable() const override { return Await(POLLOUT); }
  ssize_t read(char* data, size_t size) override {
    return Await(POLLIN) ? recv(socket_, data, size, 0) : -1;
  }
  ssize_t write(const char* data, size_t size) override {
    return Await(POLLOUT) ? send(socket_, data, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
  }
  // Nobody asks.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  bool Await(short events) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline_ - std::chrono::steady_clock::now());
    pollfd poll_for{.fd = socket_, .events = events};
    return left.count() > 0 && poll(&poll_for, 1, static_cast<int>(left.count())) == 1;
  }

  const int socket_;
  const std::chrono::steady_clock::time_point deadline_;
};

// Runs what it is given at once: the accepting thread only hands over.
class NoQueue : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override { task(); }
  void shutdown() override {}
};

// One request for each connection, on a bounded number of threads.
class BoundedServer : public httplib::Server {
 public:
  BoundedServer() : pool_(kThreads, kMostWaiting) {
    new_task_queue = [] { return new NoQueue; };
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    // Waiting counts too: who waits for long has gone.
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(kRequestTime);
    auto connection = std::make_shared<base::UniqueFd>(socket);
    return pool_.TrySchedule([this, connection, deadline] {
      DeadlineStream stream(connection->get(), deadline);
      bool closed = false;
      process_request(stream, /*close_connection=*/true, closed, nullptr);
      shutdown(connection->get(), SHUT_RDWR);
    });
  }

  base::ThreadPool pool_;
};

class HttplibServer : public HttpServer {
 public:
  explicit HttplibServer(std::function<std::string()> metrics_text) {
    // Without SO_REUSEPORT, which the library sets: two servers on one port would each get a part.
    server_.set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    server_.set_payload_max_length(kMaxBodyBytes);
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
  BoundedServer server_;
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
