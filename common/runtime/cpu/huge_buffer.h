// Memory for kernels on 2 MB pages where the system has them: TLB misses would hide what a kernel
// can do.
#ifndef COMMON_RUNTIME_CPU_HUGE_BUFFER_H_
#define COMMON_RUNTIME_CPU_HUGE_BUFFER_H_

#include <cstddef>

namespace alt::runtime {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;
// Memory from here on gets huge pages: a kernel's few operands then need no more than the few dozen
// entries of a first-level TLB, at the price of memory that is left over.
inline constexpr size_t kHugeFromBytes = size_t{128} << 10;

// Owner of zeroed memory on huge pages from kHugeFromBytes on, on small ones below. Move only.
class HugeBuffer {
 public:
  HugeBuffer() = default;
  // data() is null when the system has no memory left (and when bytes is 0).
  explicit HugeBuffer(size_t bytes);
  HugeBuffer(HugeBuffer&& other) noexcept;
  HugeBuffer& operator=(HugeBuffer&& other) noexcept;
  ~HugeBuffer();

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// `bytes` rounded up to whole pages of the kind that memory of this size gets.
size_t RoundToPages(size_t bytes);

// An address range of RoundToPages(bytes), aligned as above, that the caller maps something into
// (MAP_FIXED); at first no access is allowed. Null when there is no room.
void* ReserveAligned(size_t bytes);

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_CPU_HUGE_BUFFER_H_
