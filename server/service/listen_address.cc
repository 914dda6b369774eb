#include "server/service/listen_address.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace alt::service {
namespace {

// 0 or an errno.
int TryToBind(const addrinfo& address) {
  const base::UniqueFd fd(
      socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
  if (!fd.valid()) return errno;
  const int on = 1;  // ports of connections that have just ended are free, as gRPC sees it
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0) return errno;
  return listen(fd.get(), 1) == 0 ? 0 : errno;
}

absl::Status Explain(const std::string& listen, int error) {
  const std::string what = absl::StrCat("cannot listen on ", listen, ": ", strerror(error));
  switch (error) {
    case EADDRINUSE:
      return absl::AlreadyExistsError(absl::StrCat(
          what, "; another server is there: end it, or choose another port with --listen"));
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(
          absl::StrCat(what, "; choose a port from 1024 on with --listen"));
    default:
      return absl::InvalidArgumentError(absl::StrCat(what,
                                                     "; --listen takes HOST:PORT of this "
                                                     "machine or unix:PATH"));
  }
}

}  // namespace

absl::Status CheckListenAddress(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  if (absl::StartsWith(listen, "unix:") || colon == std::string::npos) return absl::OkStatus();
  absl::string_view name = absl::string_view(listen).substr(0, colon);
  if (absl::ConsumePrefix(&name, "[")) absl::ConsumeSuffix(&name, "]");
  const std::string host(name), port = listen.substr(colon + 1);
  // getaddrinfo takes 65616 for 80.
  ALT_RETURN_IF_ERROR(base::Annotate(base::ParseIntInRange("port", port, 0, 65535).status(),
                                     absl::StrCat("--listen=", listen)));
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found);
  if (failure != 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", listen, ": ",
                                                   gai_strerror(failure),
                                                   "; --listen takes HOST:PORT or unix:PATH"));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    const int result = TryToBind(*a);
    if (result == EADDRINUSE) return Explain(listen, result);
    // One that can be had is enough: of "localhost" not every machine has both.
    if (error != 0) error = result;
  }
  return error == 0 ? absl::OkStatus() : Explain(listen, error);
}

}  // namespace alt::service
