#include "worker/runner/operand_memory.h"

#include <sys/mman.h>

#include "common/runtime/cpu/huge_buffer.h"

namespace alt::runner {

OperandMemory::~OperandMemory() {
  for (const auto& [buffer, mapping] : mappings_) munmap(mapping.data, mapping.bytes);
}

std::optional<Problem> OperandMemory::Attach(const sandbox::AttachRequest& request, int fd) {
  if (fd < 0 || request.bytes <= 0) return Problem{"attach: no memory came along"};
  if (mappings_.count(request.buffer) > 0) return Problem{"attach: the number is taken"};
  const auto bytes = static_cast<size_t>(request.bytes);
  void* const range = runtime::ReserveAligned(bytes);
  if (range == nullptr) return Problem{"no address space left for an operand", true};
  const int access = PROT_READ | (request.writable ? PROT_WRITE : 0);
  void* const data = mmap(range, bytes, access, MAP_SHARED | MAP_FIXED, fd, 0);
  if (data == MAP_FAILED) {
    munmap(range, runtime::RoundToPages(bytes));
    return Problem{"an operand could not be mapped", true};
  }
  madvise(data, bytes, MADV_HUGEPAGE);
  mappings_[request.buffer] = {static_cast<char*>(data), runtime::RoundToPages(bytes)};
  return std::nullopt;
}

void OperandMemory::Detach(int64_t buffer) {
  const auto found = mappings_.find(buffer);
  if (found == mappings_.end()) return;
  munmap(found->second.data, found->second.bytes);
  mappings_.erase(found);
}

char* OperandMemory::Find(const sandbox::KernelParam& param) const {
  const auto found = mappings_.find(param.buffer);
  if (found == mappings_.end() || param.offset < 0 || param.bytes < 0 ||
      static_cast<size_t>(param.offset + param.bytes) > found->second.bytes) {
    return nullptr;
  }
  return found->second.data + param.offset;
}

int64_t OperandMemory::Locate(const void* address, int64_t* offset) const {
  const auto* p = static_cast<const char*>(address);
  for (const auto& [buffer, mapping] : mappings_) {
    if (p < mapping.data || p >= mapping.data + mapping.bytes) continue;
    *offset = p - mapping.data;
    return buffer;
  }
  *offset = 0;
  return -1;
}

}  // namespace alt::runner
