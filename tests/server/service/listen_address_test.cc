#include "server/service/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/strings/str_cat.h"
#include "common/base/unique_fd.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using alt::testing::StatusIs;

TEST(ListenAddressTest, APortThatIsTakenIsSaidInASentence) {
  const base::UniqueFd other(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(other.get(), any, length), 0);
  ASSERT_EQ(listen(other.get(), 1), 0);
  ASSERT_EQ(getsockname(other.get(), any, &length), 0);
  for (const char* host : {"127.0.0.1", "localhost", "0.0.0.0", ""}) {
    const std::string taken = absl::StrCat(host, ":", ntohs(address.sin_port));
    EXPECT_TRUE(StatusIs(CheckListenAddress(taken), absl::StatusCode::kAlreadyExists,
                         absl::StrCat("cannot listen on ", taken,
                                      ": Address already in use; another server is there")));
  }
}

TEST(ListenAddressTest, AFreePortAndOtherKindsOfAddressesAreFine) {
  for (const char* listen : {"127.0.0.1:0", "localhost:0", "0.0.0.0:0", ":0", "unix:/tmp/x"}) {
    ALT_EXPECT_OK(CheckListenAddress(listen));
  }
}

TEST(ListenAddressTest, WhatIsNoAddressOfThisMachineIsRefused) {
  for (const char* listen : {"192.0.2.1:7440", "127.0.0.1:http", "127.0.0.1:99999", "[::x]:1"}) {
    EXPECT_TRUE(StatusIs(CheckListenAddress(listen), absl::StatusCode::kInvalidArgument, listen));
  }
}

TEST(IsLoopbackTest, KnowsThisMachine) {
  for (const char* address : {"127.0.0.1:1", "127.1.2.3:1", "localhost:1", "[::1]:1", "unix:/s"}) {
    EXPECT_TRUE(IsLoopback(address)) << address;
  }
  for (const char* address : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", ":1", "head01.invalid:7440"}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
}

TEST(IsLoopbackTest, ANameIsWhatItResolvesTo) {
  EXPECT_FALSE(IsLoopback("127.example.invalid:7440"));
  EXPECT_TRUE(IsLoopback("[::ffff:127.0.0.1]:1"));
}

}  // namespace
}  // namespace alt::service
