#include "worker/measure/device_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "worker/measure/lock_holder.h"

namespace alt::worker {
namespace {

// Shorter waits are the order of the day.
constexpr absl::Duration kWorthAWord = absl::Seconds(1);
constexpr absl::Duration kLookEvery = absl::Milliseconds(500);

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
  return absl::ErrnoToStatus(
      errno, absl::StrCat("open ", path, ", which keeps workers from timing side by side"));
}

// False: somebody else has it.
absl::StatusOr<bool> TryLock(int fd, bool shared) {
  if (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK || errno == EINTR) return false;
  return absl::ErrnoToStatus(errno, "take the device's lock");
}

// One wait for the lock: who is in the way, since when, and who is told.
class Wait {
 public:
  Wait(const DeviceLock::Options& options, int gate, int lock)
      : options_(options), gate_(gate), lock_(lock), since_(Now()) {}
  ~Wait() {
    if (told_ && options_.activity != nullptr) options_.activity->Set({});
  }

  // Waits a little. Not OK: no longer.
  absl::Status Pause(absl::FunctionRef<bool()> cancelled) {
    if (cancelled()) return absl::CancelledError("cancelled");
    absl::SleepFor(pause_);
    pause_ = std::min(pause_ * 2, absl::Milliseconds(5));
    if (Now() < looked_ + std::min(kLookEvery, options_.patience)) return absl::OkStatus();
    Look();
    const absl::Duration held = looked_ - since_;
    if (held >= kWorthAWord) Tell();
    return held < options_.patience ? absl::OkStatus() : absl::UnavailableError(Words());
  }

 private:
  static absl::Duration Now() { return base::RealClock().SteadyNow(); }

  void Look() {
    looked_ = Now();
    // Who holds the gate waits, as we do, for who holds the lock.
    std::optional<LockHolder> holder = FindLockHolder(lock_);
    if (!holder) holder = FindLockHolder(gate_);
    const bool same =
        holder.has_value() == holder_.has_value() && (!holder || holder->pid == holder_->pid);
    if (!same) since_ = looked_;
    holder_ = std::move(holder);
  }

  std::string Words() const {
    return absl::StrCat("waiting for ", options_.device, ", held by ",
                        holder_ ? holder_->ToString() : "a process of another container", " for ",
                        absl::FormatDuration(absl::Trunc(looked_ - since_, absl::Seconds(1))));
  }

  void Tell() {
    if (options_.activity != nullptr) options_.activity->Set({.what = Words(), .waiting = true});
    if (!told_) ALT_LOG(WARNING) << Words() << " (" << options_.path << ")";
    told_ = true;
  }

  const DeviceLock::Options& options_;
  const int gate_, lock_;
  absl::Duration pause_ = absl::Microseconds(100);
  std::optional<LockHolder> holder_;
  absl::Duration since_;  // holder_ was seen with the lock all the time
  absl::Duration looked_;
  bool told_ = false;
};

}  // namespace

absl::StatusOr<std::string> DeviceLockPath(const std::string& device, const std::string& run_folder,
                                           const std::string& temporary_folder) {
  const std::string name = absl::StrCat("/alt-device-", device, ".lock");
  struct stat info;
  // In a parent where everybody may make folders, only root's is the administrator's.
  if (stat(run_folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != 0) {
    return temporary_folder + name;
  }
  if ((info.st_mode & S_IWOTH) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the device's lock is to be in ", run_folder,
                     ", where everybody may write; its administrator has to change that"));
  }
  if (access(run_folder.c_str(), R_OK | W_OK | X_OK) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("the device's lock is in ", run_folder,
                     ", which this account may not use; join its group to measure here"));
  }
  return run_folder + name;
}

absl::StatusOr<std::unique_ptr<DeviceLock>> DeviceLock::Create(Options options) {
  std::unique_ptr<DeviceLock> lock(new DeviceLock(std::move(options)));
  ALT_RETURN_IF_ERROR(OpenLockFile(lock->options_.path).status());
  ALT_RETURN_IF_ERROR(lock->OpenGate().status());
  return lock;
}

absl::StatusOr<base::UniqueFd> DeviceLock::OpenGate() const {
  return OpenLockFile(absl::StrCat(options_.path, ".gate"));
}

absl::StatusOr<DeviceLock::Hold> DeviceLock::Take(Mode mode,
                                                  absl::FunctionRef<bool()> cancelled) const {
  const bool shared = mode == Mode::kShared;
  ALT_ASSIGN_OR_RETURN(base::UniqueFd gate, OpenGate());
  ALT_ASSIGN_OR_RETURN(base::UniqueFd lock, OpenLockFile(options_.path));
  Wait wait(options_, gate.get(), lock.get());
  // Builders pass the gate one after the other; a timer keeps it while it waits for those inside.
  // Looked at again and again: flock itself cannot be told to give up.
  for (const int fd : {gate.get(), lock.get()}) {
    while (true) {
      ALT_ASSIGN_OR_RETURN(const bool taken, TryLock(fd, shared));
      if (taken) break;
      ALT_RETURN_IF_ERROR(wait.Pause(cancelled));
    }
  }
  return Hold(std::move(lock));
}

}  // namespace alt::worker
