#include "worker/sandbox/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace alt::sandbox {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// An unprivileged process cannot raise its hard limit: then the lower one stays.
int Limit(__rlimit_resource resource, int64_t value) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0) return errno;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(value));
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

// Anyone may make itself the preferred victim. Where /proc is not there, it stays as it is.
void BeFirstVictimOfOutOfMemory() {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t ignored = write(fd, "1000", 4);
  close(fd);
}

}  // namespace

int ApplyLimits(const ProcessLimits& limits) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  BeFirstVictimOfOutOfMemory();
  int error = 0;
  const auto limit = [&error](__rlimit_resource resource, int64_t value) {
    if (error == 0) error = Limit(resource, value);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, limits.file_size_bytes);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_STACK, limits.stack_bytes);
  if (!kSanitized) limit(RLIMIT_AS, limits.address_space_bytes);
  return error;
}

}  // namespace alt::sandbox
