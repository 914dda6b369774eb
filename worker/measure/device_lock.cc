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
#include "common/base/status_macros.h"

namespace alt::worker {
namespace {

absl::StatusOr<base::UniqueFd> OpenLockFile(const std::string& path) {
  base::UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("open the lock ", path));
  // Workers of several users share a device. Whose file it is may keep us from changing its mode.
  [[maybe_unused]] const int ignored = fchmod(fd.get(), 0666);
  return fd;
}

// Locks the file, looking again and again; flock itself cannot be told to give up.
bool Lock(int fd, bool shared, absl::FunctionRef<bool()> cancelled) {
  absl::Duration pause = absl::Microseconds(100);
  while (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    ALT_CHECK(errno == EWOULDBLOCK || errno == EINTR) << "flock: errno " << errno;
    if (cancelled()) return false;
    absl::SleepFor(pause);
    pause = std::min(pause * 2, absl::Milliseconds(5));
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
  if (!gate.ok() || !lock.ok()) return Hold(base::UniqueFd());
  // Builders pass the gate one after the other; a timer keeps it while it waits for those inside.
  if (!Lock(gate->get(), shared, cancelled)) return std::nullopt;
  if (!Lock(lock->get(), shared, cancelled)) return std::nullopt;
  return Hold(*std::move(lock));
}

}  // namespace alt::worker
