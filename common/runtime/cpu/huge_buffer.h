// Memory for kernels on 2 MB pages where the system has them: TLB misses would hide what a kernel
// can do.
#ifndef COMMON_RUNTIME_CPU_HUGE_BUFFER_H_
#define COMMON_RUNTIME_CPU_HUGE_BUFFER_H_

#include <cstddef>

namespace alt::runtime {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Owner of zeroed memory whose start is aligned to 2 MB when it is at least that large, to a page
// otherwise. Move only.
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

// `bytes` rounded up to whole pages: 2 MB ones from 2 MB on.
size_t RoundToPages(size_t bytes);

// An address range of RoundToPages(bytes), aligned as above, that the caller maps something into
// (MAP_FIXED); at first no access is allowed. Null when there is no room.
void* ReserveAligned(size_t bytes);

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_CPU_HUGE_BUFFER_H_
