#include "server/service/listen_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

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

// gRPC would put its socket in the place of one that is in use.
absl::Status CheckUnixSocket(const std::string& listen, const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return absl::OkStatus();
  if (!S_ISSOCK(found.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot listen on ", listen, ": that is a file of another kind; choose another path"));
  }
  sockaddr_un address = {.sun_family = AF_UNIX};
  if (path.size() >= sizeof(address.sun_path)) return Explain(listen, ENAMETOOLONG);
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return Explain(listen, errno);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return Explain(listen, EADDRINUSE);
  }
  if (errno != ECONNREFUSED) return Explain(listen, errno);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return Explain(listen, errno);
  return absl::OkStatus();
}

struct HostPort {
  std::string host, port;
};

HostPort SplitAddress(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  absl::string_view host = absl::string_view(listen).substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  return {std::string(host), colon == std::string::npos ? "" : listen.substr(colon + 1)};
}

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// 0 or an error of getaddrinfo.
int Resolve(const HostPort& address, Addresses& found) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failure = getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(),
                                  address.port.c_str(), &hints, &list);
  if (failure == 0) found.reset(list);
  return failure;
}

bool IsLoopbackAddress(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
  }
  if (address->sa_family != AF_INET6) return false;
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

}  // namespace

bool IsLoopback(const std::string& listen) {
  if (absl::StartsWith(listen, "unix:")) return true;
  const HostPort address = SplitAddress(listen);
  Addresses found(nullptr, freeaddrinfo);
  if (address.host.empty() || Resolve(address, found) != 0) return false;
  for (const addrinfo* a = found.get(); a != nullptr; a = a->ai_next) {
    if (!IsLoopbackAddress(a->ai_addr)) return false;
  }
  return true;
}

absl::Status CheckListenAddress(const std::string& listen) {
  if (absl::StartsWith(listen, "unix:")) {
    return CheckUnixSocket(listen, listen.substr(absl::string_view("unix:").size()));
  }
  if (!absl::StrContains(listen, ':')) return absl::OkStatus();
  const HostPort address = SplitAddress(listen);
  // getaddrinfo takes 65616 for 80.
  ALT_RETURN_IF_ERROR(base::Annotate(base::ParseIntInRange("port", address.port, 0, 65535).status(),
                                     absl::StrCat("--listen=", listen)));
  Addresses found(nullptr, freeaddrinfo);
  const int failure = Resolve(address, found);
  if (failure != 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", listen, ": ",
                                                   gai_strerror(failure),
                                                   "; --listen takes HOST:PORT or unix:PATH"));
  }
  int error = EADDRNOTAVAIL;
  for (const addrinfo* a = found.get(); a != nullptr; a = a->ai_next) {
    const int result = TryToBind(*a);
    if (result == EADDRINUSE) return Explain(listen, result);
    // One that can be had is enough: of "localhost" not every machine has both.
    if (error != 0) error = result;
  }
  return error == 0 ? absl::OkStatus() : Explain(listen, error);
}

}  // namespace alt::service
