// Memory that worker and runner both map.
#ifndef WORKER_SANDBOX_SHARED_MEMORY_H_
#define WORKER_SANDBOX_SHARED_MEMORY_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/unique_fd.h"

namespace alt::sandbox {

// An anonymous file of zeros, mapped here for reading and writing. Move only.
class SharedMemory {
 public:
  // `name` is for people (/proc/<pid>/maps). ResourceExhausted when there is no room.
  static absl::StatusOr<SharedMemory> Create(const std::string& name, size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  char* data() const { return data_; }
  size_t bytes() const { return bytes_; }  // whole pages
  int fd() const { return fd_.get(); }

 private:
  SharedMemory(base::UniqueFd fd, char* data, size_t bytes)
      : fd_(std::move(fd)), data_(data), bytes_(bytes) {}

  base::UniqueFd fd_;
  char* data_;
  size_t bytes_;
};

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_SHARED_MEMORY_H_
