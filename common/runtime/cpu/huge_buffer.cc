#include "common/runtime/cpu/huge_buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

namespace alt::runtime {
namespace {

constexpr size_t kPageBytes = 4096;

size_t AlignmentFor(size_t bytes) { return bytes >= kHugeFromBytes ? kHugePageBytes : kPageBytes; }

}  // namespace

size_t RoundToPages(size_t bytes) {
  const size_t page = AlignmentFor(bytes);
  return (bytes + page - 1) / page * page;
}

void* ReserveAligned(size_t bytes) {
  const size_t alignment = AlignmentFor(bytes);
  const size_t size = RoundToPages(bytes);
  const size_t slack = alignment - kPageBytes;
  void* const mapping =
      mmap(nullptr, size + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(mapping);
  const uintptr_t aligned = (start + alignment - 1) / alignment * alignment;
  if (aligned > start) munmap(mapping, aligned - start);
  const uintptr_t end = start + size + slack;
  if (aligned + size < end) munmap(reinterpret_cast<void*>(aligned + size), end - aligned - size);
  return reinterpret_cast<void*>(aligned);
}

HugeBuffer::HugeBuffer(size_t bytes) {
  if (bytes == 0) return;
  void* const range = ReserveAligned(bytes);
  if (range == nullptr) return;
  const size_t size = RoundToPages(bytes);
  if (mprotect(range, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(range, size);
    return;
  }
  madvise(range, size, MADV_HUGEPAGE);  // a wish: small pages work too
  data_ = range;
  bytes_ = bytes;
}

HugeBuffer::HugeBuffer(HugeBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

HugeBuffer& HugeBuffer::operator=(HugeBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

HugeBuffer::~HugeBuffer() {
  if (data_ != nullptr) munmap(data_, RoundToPages(bytes_));
}

}  // namespace alt::runtime
