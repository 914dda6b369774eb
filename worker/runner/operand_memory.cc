#include "worker/runner/operand_memory.h"

#include <string.h>
#include <sys/mman.h>

#include <utility>

namespace alt::runner {

OperandMemory::~OperandMemory() {
  while (!operands_.empty()) Detach(operands_.begin()->first);
}

std::optional<Problem> OperandMemory::Attach(const sandbox::AttachRequest& request, int fd) {
  if (fd < 0 || request.bytes <= 0) return Problem{"attach: no memory came along"};
  if (operands_.count(request.buffer) > 0) return Problem{"attach: the number is taken"};
  const auto bytes = static_cast<size_t>(request.bytes);
  Operand operand{.memory = runtime::HugeBuffer(bytes)};
  void* const shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (operand.memory.data() == nullptr || shared == MAP_FAILED) {
    if (shared != MAP_FAILED) munmap(shared, bytes);
    return Problem{"no memory for an operand of " + std::to_string(bytes) + " bytes",
                   Problem::Cause::kMemory};
  }
  memcpy(operand.memory.data(), shared, bytes);
  if (request.writable) {
    operand.shared = static_cast<char*>(shared);
  } else {
    munmap(shared, bytes);
    mprotect(operand.memory.data(), runtime::RoundToPages(bytes), PROT_READ);
  }
  operands_.emplace(request.buffer, std::move(operand));
  return std::nullopt;
}

void OperandMemory::Detach(int64_t buffer) {
  const auto found = operands_.find(buffer);
  if (found == operands_.end()) return;
  if (found->second.shared != nullptr) munmap(found->second.shared, found->second.memory.bytes());
  operands_.erase(found);
}

char* OperandMemory::Find(const sandbox::KernelParam& param) const {
  const auto found = operands_.find(param.buffer);
  if (found == operands_.end() || param.offset < 0 || param.bytes < 0 ||
      static_cast<size_t>(param.offset + param.bytes) > found->second.memory.bytes()) {
    return nullptr;
  }
  return static_cast<char*>(found->second.memory.data()) + param.offset;
}

void OperandMemory::CopyIn(const std::vector<int64_t>& buffers) const {
  for (int64_t buffer : buffers) {
    const auto found = operands_.find(buffer);
    if (found == operands_.end() || found->second.shared == nullptr) continue;
    const runtime::HugeBuffer& memory = found->second.memory;
    memcpy(memory.data(), found->second.shared, memory.bytes());
  }
}

void OperandMemory::CopyOut(const std::vector<int64_t>& buffers) const {
  for (int64_t buffer : buffers) {
    const auto found = operands_.find(buffer);
    if (found == operands_.end() || found->second.shared == nullptr) continue;
    const runtime::HugeBuffer& memory = found->second.memory;
    memcpy(found->second.shared, memory.data(), memory.bytes());
  }
}

int64_t OperandMemory::Locate(const void* address, int64_t* offset) const {
  const auto* p = static_cast<const char*>(address);
  for (const auto& [buffer, operand] : operands_) {
    const auto* data = static_cast<const char*>(operand.memory.data());
    if (p < data || p >= data + operand.memory.bytes()) continue;
    *offset = p - data;
    return buffer;
  }
  *offset = 0;
  return -1;
}

}  // namespace alt::runner
