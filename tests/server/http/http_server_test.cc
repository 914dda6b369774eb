#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "common/base/unique_fd.h"
#include "tests/testing/status_matchers.h"

namespace alt::http {
namespace {

using testing::StatusIs;

base::UniqueFd Connect(int port) {
  base::UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) fd.Reset();
  return fd;
}

std::string Get(int port, const std::string& path) {
  const base::UniqueFd fd = Connect(port);
  const std::string request =
      absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  if (!base::WriteAll(fd.get(), request).ok()) return "";
  return base::ReadAll(fd.get(), 1 << 20).value_or("");
}

TEST(HttpServerTest, ServesMetrics) {
  int calls = 0;
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, HttpServer::Start("127.0.0.1:0", [&] {
                             return absl::StrCat("calls ", ++calls, "\n");
                           }));
  EXPECT_TRUE(absl::StrContains(Get(server->port(), "/metrics"), "calls 1"));
  EXPECT_TRUE(absl::StrContains(Get(server->port(), "/metrics"), "calls 2"));
}

TEST(HttpServerTest, ClientsThatDoNotFinishTheirRequestsKeepNobodyWaiting) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto server,
                           HttpServer::Start("127.0.0.1:0", [] { return "calls 1"; }));
  std::vector<base::UniqueFd> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(Connect(server->port()));
    ALT_ASSERT_OK(base::WriteAll(slow.back().get(), "GET /metrics HTTP/1.1\r\nHost"));
  }
  EXPECT_TRUE(absl::StrContains(Get(server->port(), "/metrics"), "calls 1"));
  for (const base::UniqueFd& fd : slow) {
    char byte;
    EXPECT_EQ(recv(fd.get(), &byte, 1, MSG_DONTWAIT), -1) << "it was waiting all the time";
  }
}

TEST(HttpServerTest, AClientThatTricklesItsRequestIsClosedInTheEnd) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, HttpServer::Start("127.0.0.1:0", [] { return ""; }));
  const base::UniqueFd fd = Connect(server->port());
  // Each byte within any timeout for one read; the server's patience is for the whole.
  bool open = true;
  for (int i = 0; i < 1000 && open; ++i) {
    pollfd closed{.fd = fd.get(), .events = POLLIN};
    open = poll(&closed, 1, 20) == 0 && send(fd.get(), "x", 1, MSG_NOSIGNAL) == 1;
  }
  EXPECT_FALSE(open);
}

TEST(HttpServerTest, KnowsNothingElse) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, HttpServer::Start("127.0.0.1:0", [] { return ""; }));
  for (const char* path : {"/", "/../etc/passwd", "/metrics/../x"}) {
    EXPECT_TRUE(absl::StrContains(Get(server->port(), path), "404")) << path;
  }
}

TEST(HttpServerTest, RefusesAddressesThatCannotBeUsed) {
  const auto start = [](const std::string& listen) {
    return HttpServer::Start(listen, [] { return ""; });
  };
  EXPECT_TRUE(StatusIs(start("7441"), absl::StatusCode::kInvalidArgument));
  EXPECT_TRUE(StatusIs(start("127.0.0.1:x"), absl::StatusCode::kInvalidArgument));
  EXPECT_TRUE(StatusIs(start("127.0.0.1:99999"), absl::StatusCode::kInvalidArgument));
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, start("127.0.0.1:0"));
  EXPECT_TRUE(
      StatusIs(start(absl::StrCat("127.0.0.1:", server->port())), absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace alt::http
