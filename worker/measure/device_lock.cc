#include "worker/measure/device_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace alt::worker {
namespace {

constexpr absl::Duration kLongWait = absl::Seconds(10);

// Workers of several users share a device. In a folder like /tmp nobody, not even root, may open
// the file of another user with O_CREAT (fs.protected_regular), and a lock needs no right to write.
absl::StatusOr<base::UniqueFd> OpenLockFile(const std::string& path) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    base::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (fd.valid()) return fd;
    if (errno != ENOENT) break;
    fd.Reset(open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (fd.valid()) {
      [[maybe_unused]] const int ignored = fchmod(fd.get(), 0644);  // whatever the umask
      return fd;
    }
    if (errno != EEXIST) break;  // else somebody was faster
  }
  return absl::ErrnoToStatus(errno, absl::StrCat("open the lock ", path));
}

// Locks the file, looking again and again; flock itself cannot be told to give up.
bool Lock(const std::string& path, int fd, bool shared, absl::FunctionRef<bool()> cancelled) {
  absl::Duration pause = absl::Microseconds(100), waited;
  bool told = false;
  while (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    ALT_CHECK(errno == EWOULDBLOCK || errno == EINTR) << "flock: errno " << errno;
    if (cancelled()) return false;
    absl::SleepFor(pause);
    waited += pause;
    pause = std::min(pause * 2, absl::Milliseconds(5));
    if (told || waited < kLongWait) continue;
    told = true;
    ALT_LOG(WARNING) << "waiting for " << path << ", which another worker of this host holds";
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceLock>> DeviceLock::Create(const std::string& path) {
  ALT_RETURN_IF_ERROR(OpenLockFile(path).status());
  ALT_RETURN_IF_ERROR(OpenLockFile(absl::StrCat(path, ".gate")).status());
  return std::unique_ptr<DeviceLock>(new DeviceLock(path));
}

std::optional<DeviceLock::Hold> DeviceLock::Take(Mode mode,
                                                 absl::FunctionRef<bool()> cancelled) const {
  const bool shared = mode == Mode::kShared;
  absl::StatusOr<base::UniqueFd> gate = OpenLockFile(absl::StrCat(path_, ".gate"));
  absl::StatusOr<base::UniqueFd> lock = OpenLockFile(path_);
  // They were there when we began; somebody clears /tmp. Without a lock we go on alone.
  if (!gate.ok() || !lock.ok()) {
    ALT_LOG(WARNING) << "measuring without a lock against other workers: "
                     << (gate.ok() ? lock.status() : gate.status());
    return Hold(base::UniqueFd());
  }
  // Builders pass the gate one after the other; a timer keeps it while it waits for those inside.
  if (!Lock(path_, gate->get(), shared, cancelled)) return std::nullopt;
  if (!Lock(path_, lock->get(), shared, cancelled)) return std::nullopt;
  return Hold(*std::move(lock));
}

}  // namespace alt::worker
