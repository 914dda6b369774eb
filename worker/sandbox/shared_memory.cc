#include "worker/sandbox/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace alt::sandbox {
namespace {

constexpr size_t kPageBytes = 4096;

}  // namespace

absl::StatusOr<SharedMemory> SharedMemory::Create(const std::string& name, size_t bytes) {
  const size_t size = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  base::UniqueFd fd(memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("memfd_create ", name));
  if (ftruncate(fd.get(), static_cast<off_t>(size)) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("make ", name, " of ", size, " bytes"));
  }
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return absl::ErrnoToStatus(errno, absl::StrCat("map ", name));
  SharedMemory memory(std::move(fd), static_cast<char*>(data), size);
  // Memory that is not there is an error here, not a SIGBUS at its first use.
  const int error = posix_fallocate(memory.fd(), 0, static_cast<off_t>(size));
  if (error != 0) {
    return absl::ErrnoToStatus(error, absl::StrCat("memory for ", name, ", ", size, " bytes"));
  }
  // All pages at once: a fault for each of them takes several times as long. A kernel that cannot
  // do it leaves it to the faults.
  madvise(data, size, MADV_POPULATE_WRITE);
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace alt::sandbox
