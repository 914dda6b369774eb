#include "worker/measure/guarded_buffer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::worker {
namespace {

// Bands of at least this many bytes: more than any vector or tile row that a kernel overruns by.
constexpr int64_t kBandBytes = 16 << 10;
// Odd multiples of a cache line, so that no two of a kernel's operands start on the same set.
constexpr int64_t kStaggerBytes = 17 * 64;
constexpr int kPlaces = 16;

// Quiet NaNs with payloads that no computation yields.
constexpr uint32_t kGuard = 0x7fc5a5a5;
constexpr uint32_t kPoison = 0x7fc0dead;

void Fill(char* begin, char* end, uint32_t pattern) {
  std::fill(reinterpret_cast<uint32_t*>(begin), reinterpret_cast<uint32_t*>(end), pattern);
}

// The first byte of [begin, end) that is not the guard's, or `end`.
char* FirstDamage(char* begin, char* end) {
  for (char* p = begin; p < end; p += sizeof(kGuard)) {
    if (memcmp(p, &kGuard, sizeof(kGuard)) != 0) return p;
  }
  return end;
}

std::atomic<int64_t> next_id{1};

}  // namespace

absl::StatusOr<std::unique_ptr<GuardedBuffer>> GuardedBuffer::Create(const std::string& name,
                                                                     int64_t floats, int place) {
  const int64_t offset = kBandBytes + place % kPlaces * kStaggerBytes;
  const int64_t bytes = floats * static_cast<int64_t>(sizeof(float));
  ALT_ASSIGN_OR_RETURN(
      sandbox::SharedMemory memory,
      sandbox::SharedMemory::Create(absl::StrCat("alt-", name),
                                    static_cast<size_t>(offset + bytes + kBandBytes)));
  return std::unique_ptr<GuardedBuffer>(new GuardedBuffer(name, std::move(memory), offset, floats));
}

GuardedBuffer::GuardedBuffer(std::string name, sandbox::SharedMemory memory, int64_t offset,
                             int64_t floats)
    : name_(std::move(name)),
      id_(next_id.fetch_add(1)),
      memory_(std::move(memory)),
      offset_(offset),
      floats_(floats) {
  char* const end = memory_.data() + offset_ + bytes();
  Fill(memory_.data(), memory_.data() + offset_, kGuard);
  Fill(end, end + kBandBytes, kGuard);
}

void GuardedBuffer::Poison() {
  char* const begin = memory_.data() + offset_;
  Fill(begin, begin + bytes(), kPoison);
}

std::optional<std::string> GuardedBuffer::TakeDamage() {
  char* const begin = memory_.data() + offset_;
  char* const end = begin + bytes();
  std::optional<std::string> where;
  if (char* const p = FirstDamage(memory_.data(), begin); p < begin) {
    where = absl::StrCat(begin - p, " bytes before the start");
    Fill(memory_.data(), begin, kGuard);
  }
  if (char* const p = FirstDamage(end, end + kBandBytes); p < end + kBandBytes) {
    if (!where) where = absl::StrCat(p - end, " bytes past the end");
    Fill(end, end + kBandBytes, kGuard);
  }
  return where;
}

}  // namespace alt::worker
