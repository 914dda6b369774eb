#include "worker/sandbox/frame.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/unique_fd.h"

namespace alt::sandbox {
namespace {

struct Pair {
  Pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    a.Reset(ends[0]);
    b.Reset(ends[1]);
  }
  base::UniqueFd a, b;
};

TEST(FrameTest, MessagesKeepTheirBounds) {
  Pair pair;
  ASSERT_TRUE(SendFrame(pair.a.get(), "one", 3));
  ASSERT_TRUE(SendFrame(pair.a.get(), "three", 5));
  char buffer[16];
  int fd;
  EXPECT_EQ(ReceiveFrame(pair.b.get(), buffer, sizeof(buffer), &fd), 3);
  EXPECT_EQ(fd, -1);
  EXPECT_EQ(ReceiveFrame(pair.b.get(), buffer, sizeof(buffer), &fd), 5);
  EXPECT_EQ(memcmp(buffer, "three", 5), 0);
}

TEST(FrameTest, ADescriptorComesAlongAndIsCloseOnExec) {
  Pair pair;
  const int sent = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(sent, 0);
  ASSERT_TRUE(SendFrame(pair.a.get(), "x", 1, &sent, 1));
  char buffer[4];
  int fd;
  ASSERT_EQ(ReceiveFrame(pair.b.get(), buffer, sizeof(buffer), &fd), 1);
  base::UniqueFd received(fd);
  ASSERT_TRUE(received.valid());
  EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
  struct stat a, b;
  ASSERT_EQ(fstat(sent, &a), 0);
  ASSERT_EQ(fstat(fd, &b), 0);
  EXPECT_EQ(a.st_rdev, b.st_rdev);
  close(sent);
}

TEST(FrameTest, TheEndOfTheStreamIsZero) {
  Pair pair;
  pair.a.Reset();
  char buffer[4];
  int fd;
  EXPECT_EQ(ReceiveFrame(pair.b.get(), buffer, sizeof(buffer), &fd), 0);
}

TEST(FrameTest, SendingToNobodyFailsWithoutASignal) {
  Pair pair;
  pair.b.Reset();
  EXPECT_FALSE(SendFrame(pair.a.get(), "x", 1));
}

TEST(FrameTest, OneDescriptorIsTheMost) {
  Pair pair;
  const int fds[2] = {pair.a.get(), pair.b.get()};
  EXPECT_FALSE(SendFrame(pair.a.get(), "x", 1, fds, 2));
}

}  // namespace
}  // namespace alt::sandbox
