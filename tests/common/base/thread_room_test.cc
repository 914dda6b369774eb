#include "common/base/thread_room.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

TEST(ThreadRoomTest, AFewThreadsHaveRoom) { ALT_EXPECT_OK(CheckThreadRoom(8)); }

// A sanitizer's own memory does not fit under such a limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void EndWithTheErrorUnderALimit() {
  rlimit space;
  space.rlim_cur = space.rlim_max = rlim_t{512} << 20;
  setrlimit(RLIMIT_AS, &space);
  const absl::Status status = CheckThreadRoom(1000);
  fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  _exit(absl::IsResourceExhausted(status) ? 0 : 1);
}

TEST(ThreadRoomTest, WithoutMemoryForTheirStacksTheErrorNamesTheLimit) {
  EXPECT_EXIT(EndWithTheErrorUnderALimit(), ::testing::ExitedWithCode(0),
              "of 1000 threads .*ulimit -v");
}
#endif

}  // namespace
}  // namespace alt::base
