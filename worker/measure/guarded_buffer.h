// Memory of an operand between guard bands, shared with the runner.
#ifndef WORKER_MEASURE_GUARDED_BUFFER_H_
#define WORKER_MEASURE_GUARDED_BUFFER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/sandbox/shared_memory.h"

namespace alt::worker {

// Floats, 64-byte aligned, between bands of NaNs: a kernel that reads past its operand gets NaNs
// into its result, one that writes there is seen. One thread at a time, and only while no kernel
// uses it.
class GuardedBuffer {
 public:
  // `place` is the operand's among the kernel's parameters: operands start at different offsets
  // within a page, or a store to one would seem to alias loads of another (4 KiB aliasing).
  static absl::StatusOr<std::unique_ptr<GuardedBuffer>> Create(const std::string& name,
                                                               int64_t floats, int place);

  const std::string& name() const { return name_; }
  absl::Span<float> cells() { return {data(), static_cast<size_t>(floats_)}; }
  absl::Span<const float> cells() const { return {data(), static_cast<size_t>(floats_)}; }

  // Fills the operand with NaNs of one bit pattern, so that cells never written are seen.
  void Poison();
  // Where a guard band was written to: "4 bytes past the end"; none when both are whole. What was
  // found is mended.
  std::optional<std::string> TakeDamage();

  // For the runner.
  int64_t id() const { return id_; }  // unique in this process
  int fd() const { return memory_.fd(); }
  int64_t memory_bytes() const { return static_cast<int64_t>(memory_.bytes()); }
  int64_t offset() const { return offset_; }
  int64_t bytes() const { return floats_ * static_cast<int64_t>(sizeof(float)); }

 private:
  GuardedBuffer(std::string name, sandbox::SharedMemory memory, int64_t offset, int64_t floats);
  float* data() const { return reinterpret_cast<float*>(memory_.data() + offset_); }

  const std::string name_;
  const int64_t id_;
  sandbox::SharedMemory memory_;
  const int64_t offset_;
  const int64_t floats_;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_GUARDED_BUFFER_H_
