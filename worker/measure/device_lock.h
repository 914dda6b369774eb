// One measurement at a time on a host, whatever number of workers it has.
#ifndef WORKER_MEASURE_DEVICE_LOCK_H_
#define WORKER_MEASURE_DEVICE_LOCK_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/base/unique_fd.h"

namespace alt::worker {

// A lock of a device, shared by all processes that name the same file. Timing holds it exclusively;
// work that would disturb timing, such as building, holds it shared. A waiting timer keeps new
// builders out (a second file, <path>.gate), or they could keep it waiting for ever. Locks go with
// their process, also by kill -9.
//
// Safe from every thread: each hold has descriptors of its own.
class DeviceLock {
 public:
  enum class Mode { kShared, kExclusive };

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

  // Creates the files, readable by everyone, where they are missing.
  static absl::StatusOr<std::unique_ptr<DeviceLock>> Create(const std::string& path);

  // Waits. None once `cancelled`, which is polled every few milliseconds, says true.
  std::optional<Hold> Take(Mode mode, absl::FunctionRef<bool()> cancelled) const;

 private:
  explicit DeviceLock(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_DEVICE_LOCK_H_
