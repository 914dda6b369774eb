// Statements and serial loops.

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

#include "common/base/check.h"
#include "common/codegen/llvm/function_emitter.h"
#include "common/ir/visitor.h"

namespace alt::codegen {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;
using llvm::Value;

FunctionEmitter::FunctionEmitter(ModuleState* state, const StoragePlan* plan,
                                 llvm::Function* function)
    : state_(*state),
      plan_(*plan),
      function_(function),
      context_(function->getContext()),
      builder_(context_),
      index_(&builder_, this) {
  memo_.set_capacity(MemoCapacity());
  llvm::FastMathFlags flags;
  flags.setAllowContract();
  builder_.setFastMathFlags(flags);
  builder_.SetInsertPoint(NewBlock("entry"));
  // Everything that belongs to a loop's head is put before such a mark; the mark is removed when
  // the loop is done.
  entry_anchor_ = llvm::cast<llvm::Instruction>(
      builder_.CreateFreeze(llvm::PoisonValue::get(builder_.getInt64Ty())));
  index_.EnterScope(entry_anchor_);
}

void FunctionEmitter::BindBuffer(const ir::Buffer& buffer, Value* pointer) {
  BindingOf(*buffer).base = pointer;
}

void FunctionEmitter::BindVar(const ir::Var& var, Value* value, std::optional<ir::Interval> range) {
  index_.Bind(var.get(), {value, 0}, range);
}

void FunctionEmitter::BindThread(Value* workspace, Value* pool) {
  workspace_ = workspace;
  pool_ = pool;
}

void FunctionEmitter::EmitBody(const Stmt& s) {
  MakeAliasScopes(s);
  EmitStmt(s);
  Finish();
}

void FunctionEmitter::EmitIterations(const Stmt& loop, Value* begin, Value* end) {
  MakeAliasScopes(loop->body());
  llvm::BasicBlock* body = NewBlock("some");
  llvm::BasicBlock* done = NewBlock("none");
  builder_.CreateCondBr(builder_.CreateICmpSLT(begin, end), body, done);
  builder_.SetInsertPoint(body);
  EmitCountedLoop(loop, begin, end, RangeOfLoop(loop));
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  Finish();
}

void FunctionEmitter::Finish() {
  builder_.CreateRetVoid();
  index_.LeaveScope();
  entry_anchor_->eraseFromParent();
  if (registers_.empty()) return;
  llvm::DominatorTree dominators(*function_);
  llvm::PromoteMemToReg(registers_, dominators);
}

llvm::BasicBlock* FunctionEmitter::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(context_, name, function_);
}

void FunctionEmitter::EmitStmt(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::kFor:
      if (s->for_kind == ir::ForKind::kParallel && pool_ != nullptr) return EmitParallelFor(s);
      return EmitSerialFor(s);
    case StmtKind::kStore:
      return EmitStore(s);
    case StmtKind::kAllocate:
      return EmitAllocate(s);
    case StmtKind::kBlock:
      for (const Stmt& child : s->stmts) EmitStmt(child);
      return;
    case StmtKind::kIf:
      return EmitIf(s);
    case StmtKind::kPrefetch:
      return EmitPrefetch(s);
    case StmtKind::kNop:
      return;
  }
}

std::optional<ir::Interval> FunctionEmitter::RangeOfLoop(const Stmt& s) const {
  const std::optional<ir::Interval> min = ir::BoundsOf(s->min(), index_.ranges());
  const std::optional<ir::Interval> extent = ir::BoundsOf(s->extent(), index_.ranges());
  if (!min || !extent || extent->max < 1) return std::nullopt;
  return ir::Interval{min->min, min->max + extent->max - 1};
}

void FunctionEmitter::EmitSerialFor(const Stmt& s) {
  const std::optional<ir::Interval> extents = ir::BoundsOf(s->extent(), index_.ranges());
  if (extents && extents->max <= 0) return;
  const IndexValue min = index_.Emit(s->min());
  if (extents == ir::Interval{1, 1}) {
    index_.Bind(s->var.get(), min, RangeOfLoop(s));
    EmitStmt(s->body());
    index_.Unbind(s->var.get());
    return;
  }
  Value* end = index_.Emit(s->min() + s->extent()).value;
  if (extents && extents->min >= 1) return EmitCountedLoop(s, min.value, end, RangeOfLoop(s));

  llvm::BasicBlock* body = NewBlock("some");
  llvm::BasicBlock* done = NewBlock("none");
  builder_.CreateCondBr(builder_.CreateICmpSLT(min.value, end), body, done);
  builder_.SetInsertPoint(body);
  EmitCountedLoop(s, min.value, end, RangeOfLoop(s));
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

// begin < end holds, so the test stands at the bottom.
void FunctionEmitter::EmitCountedLoop(const Stmt& s, Value* begin, Value* end,
                                      std::optional<ir::Interval> range) {
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* head = NewBlock("loop");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode* var = builder_.CreatePHI(builder_.getInt64Ty(), 2, s->var->name);
  var->addIncoming(begin, before);
  auto* anchor = llvm::cast<llvm::Instruction>(
      builder_.CreateFreeze(llvm::PoisonValue::get(builder_.getInt64Ty())));
  index_.EnterScope(anchor);
  index_.Bind(s->var.get(), {var, index_.depth()}, range);
  memo_.Clear();
  EmitStmt(s->body());
  memo_.Clear();
  index_.Unbind(s->var.get());
  index_.LeaveScope();
  anchor->eraseFromParent();

  const bool positive = range && range->min >= 0;
  Value* next = builder_.CreateAdd(var, builder_.getInt64(1), "", positive, /*HasNSW=*/true);
  var->addIncoming(next, builder_.GetInsertBlock());
  llvm::BasicBlock* done = NewBlock("done");
  llvm::BranchInst* back = builder_.CreateCondBr(builder_.CreateICmpEQ(next, end), done, head);
  back->setMetadata(llvm::LLVMContext::MD_loop, LoopMetadata());
  builder_.SetInsertPoint(done);
}

// Whoever runs LLVM's own loop passes on our text shall leave the loops as the schedule made them.
llvm::MDNode* FunctionEmitter::LoopMetadata() {
  auto property = [&](const char* name) {
    return llvm::MDNode::get(context_, {llvm::MDString::get(context_, name)});
  };
  llvm::MDNode* vectorize =
      llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.vectorize.enable"),
                                   llvm::ConstantAsMetadata::get(builder_.getFalse())});
  // A loop's node is its own first operand, which keeps the nodes of two loops apart.
  llvm::MDNode* node = llvm::MDNode::getDistinct(
      context_, {nullptr, property("llvm.loop.unroll.disable"), vectorize});
  node->replaceOperandWith(0, node);
  return node;
}

void FunctionEmitter::EmitIf(const Stmt& s) {
  llvm::BasicBlock* then_block = NewBlock("then");
  llvm::BasicBlock* else_block = s->stmts.size() > 1 ? NewBlock("else") : nullptr;
  llvm::BasicBlock* done = NewBlock("endif");
  Value* condition = index_.Emit(s->condition()).value;
  builder_.CreateCondBr(condition, then_block, else_block != nullptr ? else_block : done);
  memo_.Clear();
  builder_.SetInsertPoint(then_block);
  EmitStmt(s->stmts[0]);
  builder_.CreateBr(done);
  memo_.Clear();
  if (else_block != nullptr) {
    builder_.SetInsertPoint(else_block);
    EmitStmt(s->stmts[1]);
    builder_.CreateBr(done);
    memo_.Clear();
  }
  builder_.SetInsertPoint(done);
}

void FunctionEmitter::EmitStore(const Stmt& s) {
  const std::vector<Expr> indices = ir::IndicesOf(*s);
  Value* value = EmitValue(s->value());
  if (s->buffer->scope == ir::Scope::kRegister) {
    StoreRegister(*s->buffer, indices, value);
  } else {
    StoreAccess(Resolve(*s->buffer, indices), value, s->value()->dtype);
    memo_.Stored(s->buffer.get());
  }
  memo_.EndStatement();
}

void FunctionEmitter::EmitPrefetch(const Stmt& s) {
  const std::vector<Expr> indices = ir::IndicesOf(*s);
  Value* pointer = LanePointer(Resolve(*s->buffer, indices), 0);
  // Read, into all levels of cache, data.
  builder_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {pointer->getType()},
      {pointer, builder_.getInt32(0), builder_.getInt32(3), builder_.getInt32(1)});
  memo_.EndStatement();
}

void FunctionEmitter::EmitAllocate(const Stmt& s) {
  const ir::BufferNode& buffer = *s->buffer;
  PlaceBuffer(buffer);
  int registers = 0;
  if (buffer.scope == ir::Scope::kRegister) {
    // A scalar float fills a register too.
    registers = std::max(RegistersOf(TypeOf(buffer.dtype)), buffer.dtype.is_float() ? 1 : 0) *
                static_cast<int>(ir::NumElements(buffer));
  }
  live_registers_ += registers;
  memo_.set_capacity(MemoCapacity());
  EmitStmt(s->body());
  live_registers_ -= registers;
  memo_.set_capacity(MemoCapacity());
}

// What accumulators leave, less a few for what is being computed. Never so few that the operands of
// a tile (the vectors of its shorter side, a broadcast or two) would push one another out.
int FunctionEmitter::MemoCapacity() const {
  const int all = state_.vector_registers;
  return std::max(all - 4 - live_registers_, all * 3 / 8);
}

// A buffer may be allocated in several places (copies of a tile's body); all use the same memory.
void FunctionEmitter::PlaceBuffer(const ir::BufferNode& buffer) {
  Binding& binding = BindingOf(buffer);
  if (binding.base != nullptr || !binding.registers.empty()) return;
  llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  // Allocas stand at the very front, or they would be dynamic ones.
  builder_.SetInsertPoint(&*function_->getEntryBlock().begin());
  if (buffer.scope == ir::Scope::kRegister) {
    for (int64_t i = 0; i < ir::NumElements(buffer); ++i) {
      registers_.push_back(builder_.CreateAlloca(TypeOf(buffer.dtype)));
      binding.registers.push_back(registers_.back());
    }
    return;
  }
  const Place& place = plan_.places.at(&buffer);
  if (!place.on_stack) {
    builder_.SetInsertPoint(entry_anchor_);
    binding.base = At(workspace_, place.offset);
    return;
  }
  llvm::AllocaInst* memory = builder_.CreateAlloca(
      llvm::ArrayType::get(builder_.getInt8Ty(), static_cast<uint64_t>(place.size_bytes)), nullptr,
      buffer.name);
  memory->setAlignment(llvm::Align(kBufferAlignment));
  binding.base = memory;
}

// Buffers of the workspace are offsets from one pointer: metadata says which of them never meet.
// Those whose bytes are shared by turns are not declared apart, or a store to one could be moved
// above the last load of the other.
void FunctionEmitter::MakeAliasScopes(const Stmt& s) {
  std::vector<const ir::BufferNode*> buffers;
  ir::VisitStmt(s, [&](const Stmt& child) {
    if (child->kind == StmtKind::kAllocate && child->buffer->scope == ir::Scope::kLocal &&
        !plan_.places.at(child->buffer.get()).on_stack) {
      buffers.push_back(child->buffer.get());
    }
    return true;
  });
  if (buffers.size() < 2) return;
  llvm::MDBuilder metadata(context_);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain();
  std::vector<llvm::MDNode*> scopes;
  for (const ir::BufferNode* buffer : buffers) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain, buffer->name));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    llvm::SmallVector<llvm::Metadata*, 8> others;
    for (size_t j = 0; j < buffers.size(); ++j) {
      if (i != j && plan_.Disjoint(buffers[i], buffers[j])) others.push_back(scopes[j]);
    }
    Binding& binding = BindingOf(*buffers[i]);
    binding.alias_scope = llvm::MDNode::get(context_, {scopes[i]});
    if (!others.empty()) binding.no_alias = llvm::MDNode::get(context_, others);
  }
}

}  // namespace alt::codegen
