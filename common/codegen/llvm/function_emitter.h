#ifndef COMMON_CODEGEN_LLVM_FUNCTION_EMITTER_H_
#define COMMON_CODEGEN_LLVM_FUNCTION_EMITTER_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "common/codegen/llvm/captures.h"
#include "common/codegen/llvm/index_emitter.h"
#include "common/codegen/llvm/storage_plan.h"
#include "common/codegen/llvm/value_memo.h"
#include "common/ir/module.h"

namespace alt::codegen {

// What the functions of one LLVM module share.
struct ModuleState {
  llvm::Module& module;
  // Parallel loops become functions for the pool; else they are serial.
  bool outline_parallel;
  // Of the target: the width of a vector register, and how many there are.
  int vec_bits;
  int vector_registers;
  // What every function has (target, vector width).
  llvm::AttrBuilder attributes;
  absl::flat_hash_map<const ir::BufferNode*, llvm::GlobalVariable*> tables;
  // Of the function that is being emitted: what its buffers have at least.
  int64_t buffer_alignment = kBufferAlignment;
};

// Of a pointer to a buffer, or to the workspace.
inline llvm::Attribute AlignmentAttribute(const ModuleState& state) {
  return llvm::Attribute::getWithAlignment(
      state.module.getContext(), llvm::Align(static_cast<uint64_t>(state.buffer_alignment)));
}

// Emits one LLVM function: the kernel, or the body of a parallel loop. Index arithmetic goes to the
// head of the loop that it depends on, loads and broadcasts are numbered (value_memo.h), registers
// are allocas for mem2reg: the result needs few passes. One use: Bind*, then EmitBody.
class FunctionEmitter : private IndexEmitter::Outside {
 public:
  // `function` has no block yet.
  FunctionEmitter(ModuleState* state, const StoragePlan* plan, llvm::Function* function);

  void BindBuffer(const ir::Buffer& buffer, llvm::Value* pointer);
  void BindVar(const ir::Var& var, llvm::Value* value, std::optional<ir::Interval> range);
  // Slice of the workspace of the thread that runs this function, and the pool; the pool is null in
  // the body of a parallel loop, where parallel loops are serial.
  void BindThread(llvm::Value* workspace, llvm::Value* pool);

  // The statement, then a return.
  void EmitBody(const ir::Stmt& s);
  // Runs a loop over [begin, end) of its iterations, then returns.
  void EmitIterations(const ir::Stmt& loop, llvm::Value* begin, llvm::Value* end);

 private:
  struct Binding {
    llvm::Value* base = nullptr;
    std::vector<int64_t> strides;         // bytes; elements for a kRegister
    llvm::MDNode* alias_scope = nullptr;  // of buffers in the workspace, which share one pointer
    llvm::MDNode* no_alias = nullptr;
    std::vector<llvm::AllocaInst*> registers;
    // Of the vectors in `registers` as they are, while code goes to that block.
    std::vector<llvm::Value*> columns;
    llvm::BasicBlock* columns_block = nullptr;
  };

  // The addresses of one access.
  struct Access {
    const ir::BufferNode* buffer = nullptr;
    llvm::Value* pointer = nullptr;          // variable part, shared by all lanes ...
    std::vector<llvm::Value*> pointers;      // ... or one for each lane, when this is not empty
    uint64_t align = 1;                      // of every pointer
    llvm::SmallVector<int64_t, 16> offsets;  // bytes, one for each lane
    bool constant = false;  // the offsets say it all (pointer is the buffer's base)
  };

  // emit_stmt.cc
  void Finish();
  void EmitStmt(const ir::Stmt& s);
  void EmitSerialFor(const ir::Stmt& s);
  void EmitCountedLoop(const ir::Stmt& s, llvm::Value* begin, llvm::Value* end,
                       std::optional<ir::Interval> range);
  void EmitIf(const ir::Stmt& s);
  void EmitAllocate(const ir::Stmt& s);
  void PlaceBuffer(const ir::BufferNode& buffer);
  int MemoCapacity() const;
  void EmitStore(const ir::Stmt& s);
  void EmitPrefetch(const ir::Stmt& s);
  void MakeAliasScopes(const ir::Stmt& s);
  std::optional<ir::Interval> RangeOfLoop(const ir::Stmt& s) const;
  llvm::BasicBlock* NewBlock(const char* name);
  llvm::MDNode* LoopMetadata();

  // emit_parallel.cc
  void EmitParallelFor(const ir::Stmt& s);
  void EmitParallelBody(const ir::Stmt& s, const Captures& captures, llvm::Function* body);

  // emit_memory.cc
  Binding& BindingOf(const ir::BufferNode& buffer);
  Access Resolve(const ir::BufferNode& buffer, absl::Span<const ir::Expr> indices);
  std::optional<LinearForm> AffineForm(const Binding& binding, absl::Span<const ir::Expr> indices,
                                       int64_t* stride);
  void ResolveLanes(const Binding& binding, absl::Span<const ir::Expr> indices, int lanes,
                    Access* access);
  llvm::Value* At(llvm::Value* pointer, int64_t offset);
  llvm::Value* LanePointer(const Access& access, size_t lane);
  llvm::GlobalVariable* TableOf(const ir::BufferNode& buffer);
  llvm::Value* EmitLoad(const ir::Expr& e);
  llvm::Value* LoadRegister(const ir::Expr& e);
  llvm::Value* LoadConstants(const Access& access, ir::DType type);
  void StoreRegister(const ir::BufferNode& buffer, absl::Span<const ir::Expr> indices,
                     llvm::Value* value);
  int64_t RegisterOf(const Binding& binding, absl::Span<const ir::Expr> indices, int lane);
  llvm::Instruction* Tag(llvm::Instruction* access, const ir::BufferNode& buffer);

  // emit_lanes.cc
  llvm::Value* LoadUnit(const Access& access, int64_t offset, ir::DType type);
  llvm::Value* LoadLanes(const Access& access, ir::DType type);
  llvm::Value* LoadWindows(const Access& access, ir::DType type);
  llvm::Value* GatherMasked(const Access& access, ir::DType type);
  void StoreAccess(const Access& access, llvm::Value* value, ir::DType type);

  // emit_transpose.cc
  llvm::Value* EmitTranspose(const ir::Expr& e);

  // emit_expr.cc
  llvm::Value* EmitValue(const ir::Expr& e);  // any dtype and lanes
  llvm::Value* EmitNode(const ir::Expr& e);
  llvm::Value* EmitFloat(const ir::Expr& e);
  llvm::Value* EmitVectorIndex(const ir::Expr& e);
  llvm::Value* EmitCompare(const ir::Expr& e);
  llvm::Value* EmitCast(const ir::Expr& e);
  llvm::Value* Splat(llvm::Value* scalar, int lanes);
  llvm::Type* TypeOf(ir::DType dtype);            // of a value
  llvm::Type* MemoryTypeOf(ir::DType dtype);      // a bool is a byte in memory
  int RegistersOf(const llvm::Type* type) const;  // vector registers

  // emit_select.cc
  bool MustBranch(const ir::Expr& select) override;
  llvm::Value* EmitHere(const ir::Expr& e) override;
  llvm::Value* EmitSelect(const ir::Expr& e);
  llvm::Value* EmitBranches(llvm::Value* condition, const ir::Expr& a, const ir::Expr& b);
  llvm::Value* EmitMaskedSelect(const ir::Expr& e);
  llvm::Value* EmitIfAnyLane(const ir::Expr& e);
  // Whether evaluating e might read where it must not.
  bool ReadsMemory(const ir::Expr& e);

  ModuleState& state_;
  const StoragePlan& plan_;
  llvm::Function* const function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  IndexEmitter index_;
  ValueMemo memo_;
  absl::node_hash_map<const ir::BufferNode*, Binding> bindings_;
  // With the node itself, as in ValueMemo.
  absl::flat_hash_map<const ir::ExprNode*, std::pair<ir::Expr, bool>> reads_memory_;
  std::vector<llvm::AllocaInst*> registers_;  // of all kRegister buffers, to be promoted
  llvm::Instruction* entry_anchor_ = nullptr;
  llvm::Value* workspace_ = nullptr;
  llvm::Value* pool_ = nullptr;
  // Vector registers that the kRegister buffers of the allocations around take.
  int live_registers_ = 0;
  // Lanes whose values are wanted while a side of a vector select is evaluated; null: all.
  llvm::Value* mask_ = nullptr;
};

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_FUNCTION_EMITTER_H_
