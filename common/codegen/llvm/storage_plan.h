#ifndef COMMON_CODEGEN_LLVM_STORAGE_PLAN_H_
#define COMMON_CODEGEN_LLVM_STORAGE_PLAN_H_

// Where the temporaries of a function live. No LLVM in here.

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"

namespace alt::codegen {

// Place of one kLocal buffer.
struct Place {
  bool on_stack = false;
  int64_t offset = 0;      // in the thread's slice of the workspace, when not on the stack
  int64_t size_bytes = 0;  // rounded up to kBufferAlignment
};

inline constexpr int64_t kBufferAlignment = 64;
// What one compiled function (the kernel, or the body of a parallel loop) may put on its stack.
inline constexpr int64_t kStackBudgetBytes = 16 << 10;

struct StoragePlan {
  absl::flat_hash_map<const ir::BufferNode*, Place> places;
  int64_t workspace_bytes = 0;  // of one thread

  // Whether two buffers of the workspace never share a byte. Buffers of disjoint lifetimes may.
  bool Disjoint(const ir::BufferNode* a, const ir::BufferNode* b) const;
};

// Small buffers go to the stack, first come first served within the budget; the others to the
// workspace, stacked by nesting: one Allocate inside another is placed above it, neighbours share.
// With outline_parallel, bodies of parallel loops are functions with a stack budget of their own.
StoragePlan PlanStorage(const ir::Function& f, bool outline_parallel);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_STORAGE_PLAN_H_
