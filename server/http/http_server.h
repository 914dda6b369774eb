// The server's HTTP side: /metrics. Off unless it is asked for.
#ifndef SERVER_HTTP_HTTP_SERVER_H_
#define SERVER_HTTP_HTTP_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::http {

// Serves from Start until destruction.
class HttpServer {
 public:
  // listen: HOST:PORT, port 0 for any. metrics_text is called for each request, on a thread of the
  // server. InvalidArgument for an address that is none; Unavailable when it is taken.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      absl::string_view listen, std::function<std::string()> metrics_text);
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
};

}  // namespace alt::http

#endif  // SERVER_HTTP_HTTP_SERVER_H_
