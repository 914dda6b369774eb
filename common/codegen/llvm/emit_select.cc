// Selects evaluate only the side that is taken. Where a side reads memory, a scalar condition
// branches, and a vector condition masks the loads.

#include "common/codegen/llvm/function_emitter.h"

namespace alt::codegen {

using ir::Expr;
using ir::ExprKind;
using llvm::Value;

bool FunctionEmitter::ReadsMemory(const Expr& e) {
  if (e->kind == ExprKind::kLoad && e->buffer->scope != ir::Scope::kRegister) return true;
  if (e->args.empty()) return false;
  if (auto it = reads_memory_.find(e.get()); it != reads_memory_.end()) return it->second.second;
  bool reads = false;
  for (const Expr& arg : e->args) reads = reads || ReadsMemory(arg);
  reads_memory_[e.get()] = {e, reads};
  return reads;
}

bool FunctionEmitter::MustBranch(const Expr& select) {
  return ReadsMemory(select->args[1]) || ReadsMemory(select->args[2]);
}

Value* FunctionEmitter::EmitSelect(const Expr& e) {
  const Expr& condition = e->args[0];
  const bool one = condition->dtype.lanes == 1 || condition->kind == ExprKind::kBroadcast;
  if (!one && MustBranch(e)) return EmitMaskedSelect(e);
  const Expr& scalar = condition->kind == ExprKind::kBroadcast ? condition->args[0] : condition;
  Value* choice = EmitValue(one ? scalar : condition);
  if (one && MustBranch(e)) return EmitBranches(choice, e->args[1], e->args[2]);
  Value* a = EmitValue(e->args[1]);
  Value* b = EmitValue(e->args[2]);
  return builder_.CreateSelect(choice, a, b);
}

Value* FunctionEmitter::EmitBranches(Value* condition, const Expr& a, const Expr& b) {
  llvm::BasicBlock* blocks[2] = {NewBlock("taken"), NewBlock("other")};
  llvm::BasicBlock* done = NewBlock("selected");
  builder_.CreateCondBr(condition, blocks[0], blocks[1]);
  Value* values[2];
  for (int i = 0; i < 2; ++i) {
    builder_.SetInsertPoint(blocks[i]);
    memo_.EnterBranch();
    values[i] = EmitValue(i == 0 ? a : b);
    memo_.LeaveBranch();
    blocks[i] = builder_.GetInsertBlock();
    builder_.CreateBr(done);
  }
  builder_.SetInsertPoint(done);
  llvm::PHINode* phi = builder_.CreatePHI(values[0]->getType(), 2);
  for (int i = 0; i < 2; ++i) phi->addIncoming(values[i], blocks[i]);
  return phi;
}

Value* FunctionEmitter::EmitMaskedSelect(const Expr& e) {
  Value* condition = EmitValue(e->args[0]);
  Value* const outer = mask_;
  Value* values[2];
  for (int i = 0; i < 2; ++i) {
    Value* wanted = i == 0 ? condition : builder_.CreateNot(condition);
    mask_ = outer != nullptr ? builder_.CreateAnd(outer, wanted) : wanted;
    memo_.EnterBranch();
    values[i] = EmitValue(e->args[static_cast<size_t>(i + 1)]);
    memo_.LeaveBranch();
  }
  mask_ = outer;
  return builder_.CreateSelect(condition, values[0], values[1]);
}

Value* FunctionEmitter::EmitIfAnyLane(const Expr& e) {
  Value* const mask = mask_;
  mask_ = nullptr;
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* some = NewBlock("some_lane");
  llvm::BasicBlock* done = NewBlock("any_lane");
  builder_.CreateCondBr(builder_.CreateOrReduce(mask), some, done);
  builder_.SetInsertPoint(some);
  memo_.EnterBranch();
  Value* value = EmitNode(e);
  memo_.LeaveBranch();
  some = builder_.GetInsertBlock();
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  llvm::PHINode* phi = builder_.CreatePHI(value->getType(), 2);
  phi->addIncoming(value, some);
  phi->addIncoming(llvm::Constant::getNullValue(value->getType()), before);
  mask_ = mask;
  return phi;
}

}  // namespace alt::codegen
