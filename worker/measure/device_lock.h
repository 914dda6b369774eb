// One measurement at a time on a host, whatever number of workers it has.
#ifndef WORKER_MEASURE_DEVICE_LOCK_H_
#define WORKER_MEASURE_DEVICE_LOCK_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/unique_fd.h"
#include "worker/measure/activity.h"

namespace alt::worker {

// Where the lock of a device ("cpu0") stands. All workers of a host have to find the same file,
// whoever runs them: two accounts that time side by side both measure something else. So no folder
// of one account (XDG_RUNTIME_DIR, /run/user/1000) will do.
//
//   <run_folder>          where an administrator has made it, for the accounts that may measure:
//                         install -d -m 2770 -g GROUP /run/lock/alt
//                         Nobody else can open the lock. PermissionDenied for those who are not in
//                         the group; FailedPrecondition when everybody may write there.
//   <temporary folder>    else. Anybody on the host may hold the lock up: it is said who does, and
//                         patience (DeviceLock::Options) ends.
absl::StatusOr<std::string> DeviceLockPath(const std::string& device,
                                           const std::string& run_folder = "/run/lock/alt",
                                           const std::string& temporary_folder = "/tmp");

// A lock of a device, shared by all processes that name the same file. Timing holds it exclusively;
// work that would disturb timing, such as building, holds it shared. A waiting timer keeps new
// builders out (a second file, <path>.gate), or they could keep it waiting for ever. Locks go with
// their process, also by kill -9.
//
// Safe from every thread: each hold has descriptors of its own.
class DeviceLock {
 public:
  enum class Mode { kShared, kExclusive };

  struct Options {
    std::string path;
    std::string device = "cpu:0";  // for people
    // A process that holds it for longer, one that is stopped say, is not waited for any more.
    absl::Duration patience = absl::Minutes(2);
    Activity* activity =
        nullptr;  // says who is waited for; outlives the lock. Null: nobody is told
  };

  // Held while it lives. Move only.
  class Hold {
   public:
    Hold(Hold&&) = default;
    Hold& operator=(Hold&&) = default;

   private:
    friend class DeviceLock;
    explicit Hold(base::UniqueFd fd) : fd_(std::move(fd)) {}
    base::UniqueFd fd_;
  };

  // Creates the files, readable by everyone who can enter their folder, where they are missing.
  static absl::StatusOr<std::unique_ptr<DeviceLock>> Create(Options options);

  // Waits, and tells the activity for whom: "waiting for cpu:0, held by pid 812 (alt-worker) for
  // 12 s". Cancelled once `cancelled`, which is polled every few milliseconds, says true.
  // Unavailable, with those words, when one process has held it all through `patience`. Other
  // codes: the files cannot be opened.
  absl::StatusOr<Hold> Take(Mode mode, absl::FunctionRef<bool()> cancelled) const;

 private:
  explicit DeviceLock(Options options) : options_(std::move(options)) {}
  absl::StatusOr<base::UniqueFd> OpenGate() const;

  const Options options_;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_DEVICE_LOCK_H_
