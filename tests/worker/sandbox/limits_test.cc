#include "worker/sandbox/limits.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace alt::sandbox {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Limits cannot be taken back: each check runs in a child, which exits 0 when it holds.
int ExitCodeOf(const std::function<bool()>& holds) {
  const pid_t pid = fork();
  if (pid == 0) _exit(holds() ? 0 : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool IsLimitedTo(__rlimit_resource resource, rlim_t value) {
  rlimit limit;
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur == value && limit.rlim_max == value;
}

TEST(ApplyLimitsTest, SetsEveryResource) {
  const ProcessLimits limits{.address_space_bytes = 1 << 30,
                             .stack_bytes = 1 << 22,
                             .file_size_bytes = 4096,
                             .open_files = 32};
  EXPECT_EQ(ExitCodeOf([&] {
              return ApplyLimits(limits) == 0 && IsLimitedTo(RLIMIT_CORE, 0) &&
                     IsLimitedTo(RLIMIT_STACK, 1 << 22) && IsLimitedTo(RLIMIT_FSIZE, 4096) &&
                     IsLimitedTo(RLIMIT_NOFILE, 32) &&
                     (kSanitized || IsLimitedTo(RLIMIT_AS, 1 << 30));
            }),
            0);
}

TEST(ApplyLimitsTest, NeverRaisesALimit) {
  EXPECT_EQ(ExitCodeOf([] {
              return ApplyLimits({.open_files = 32}) == 0 && ApplyLimits({.open_files = 64}) == 0 &&
                     IsLimitedTo(RLIMIT_NOFILE, 32);
            }),
            0);
}

TEST(ApplyLimitsTest, TakesAwayNewPrivileges) {
  EXPECT_EQ(ExitCodeOf(
                [] { return ApplyLimits({}) == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }),
            0);
}

}  // namespace
}  // namespace alt::sandbox
