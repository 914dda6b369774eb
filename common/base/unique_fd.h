// Owner of a file descriptor.
#ifndef COMMON_BASE_UNIQUE_FD_H_
#define COMMON_BASE_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace alt::base {

// Closes its descriptor when it goes; -1 is none. Move only.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Gives the descriptor away.
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1) {
    // Not retried on EINTR: on Linux the descriptor is gone in any case.
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace alt::base

#endif  // COMMON_BASE_UNIQUE_FD_H_
