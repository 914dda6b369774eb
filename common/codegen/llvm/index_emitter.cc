#include "common/codegen/llvm/index_emitter.h"

#include <algorithm>

#include "common/base/check.h"

namespace alt::codegen {

using ir::Expr;
using ir::ExprKind;
using llvm::Value;

void IndexEmitter::Bind(const ir::VarNode* var, IndexValue value,
                        std::optional<ir::Interval> range) {
  vars_[var] = value;
  if (range) ranges_[var] = *range;
}

void IndexEmitter::Unbind(const ir::VarNode* var) {
  vars_.erase(var);
  ranges_.erase(var);
}

IndexValue IndexEmitter::Number(Op op, IndexValue a, IndexValue b, IndexValue c, int64_t constant,
                                absl::FunctionRef<Value*()> make) {
  const int depth = std::max({a.depth, b.depth, c.depth});
  if (depth == kHere) return {make(), kHere};
  Scope& scope = scopes_[static_cast<size_t>(depth)];
  auto [it, inserted] = scope.values.try_emplace({op, a.value, b.value, c.value, constant});
  if (inserted) {
    llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(scope.anchor);
    it->second = make();
  }
  return {it->second, depth};
}

IndexValue IndexEmitter::Emit(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kIntImm:
      return {e->dtype.scalar == ir::ScalarType::kBool ? builder_.getInt1(e->int_value != 0)
                                                       : builder_.getInt64(e->int_value),
              0};
    case ExprKind::kVar: {
      auto it = vars_.find(e->var.get());
      ALT_CHECK(it != vars_.end()) << "variable " << e->var->name << " is not defined";
      return it->second;
    }
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul:
      return EmitLinear(e);
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod:
      return EmitDivision(e);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return EmitMinMax(e);
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
      if (e->args[0]->dtype.is_float()) return {outside_.EmitHere(e), kHere};
      return EmitCompare(e);
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kNot:
      return EmitLogic(e);
    case ExprKind::kSelect:
      return EmitSelect(e);
    default:
      return {outside_.EmitHere(e), kHere};
  }
}

void IndexEmitter::AddLinear(const Expr& e, int64_t scale, LinearForm* form) {
  int64_t factor;
  switch (e->kind) {
    case ExprKind::kAdd:
    case ExprKind::kSub:
      AddLinear(e->args[0], scale, form);
      AddLinear(e->args[1], e->kind == ExprKind::kAdd ? scale : -scale, form);
      return;
    case ExprKind::kMul:
      if (ir::IsInt(e->args[1], &factor)) return AddLinear(e->args[0], scale * factor, form);
      if (ir::IsInt(e->args[0], &factor)) return AddLinear(e->args[1], scale * factor, form);
      break;
    case ExprKind::kIntImm:
      form->constant += scale * e->int_value;
      return;
    default:
      break;
  }
  // A product of two variables must not come back here by way of EmitLinear.
  if (e->kind == ExprKind::kMul) {
    const IndexValue a = Emit(e->args[0]);
    const IndexValue b = Emit(e->args[1]);
    form->Add(
        Number(Op::kScale, a, b, {}, 0, [&] { return builder_.CreateNSWMul(a.value, b.value); }),
        scale);
    return;
  }
  form->Add(Emit(e), scale);
}

IndexValue IndexEmitter::Scaled(IndexValue atom, int64_t coefficient) {
  if (coefficient == 1) return atom;
  return Number(Op::kScale, atom, {}, {}, coefficient,
                [&] { return builder_.CreateNSWMul(atom.value, builder_.getInt64(coefficient)); });
}

namespace {

// Outer loops first, so that partial sums belong to loops as far outside as can be.
void SortByDepth(LinearForm* form) {
  std::stable_sort(form->terms.begin(), form->terms.end(),
                   [](const LinearForm::Term& a, const LinearForm::Term& b) {
                     return a.atom.depth < b.atom.depth;
                   });
}

}  // namespace

IndexValue IndexEmitter::EmitLinear(const Expr& e) {
  LinearForm form;
  AddLinear(e, 1, &form);
  SortByDepth(&form);
  IndexValue sum{builder_.getInt64(form.constant), 0};
  const bool add_constant = form.constant != 0 && !form.terms.empty();
  for (size_t i = 0; i < form.terms.size(); ++i) {
    const IndexValue term = Scaled(form.terms[i].atom, form.terms[i].coefficient);
    if (i == 0) {
      sum = term;
      continue;
    }
    const IndexValue left = sum;
    sum = Number(Op::kSum, left, term, {}, 0,
                 [&] { return builder_.CreateNSWAdd(left.value, term.value); });
  }
  if (!add_constant) return sum;
  return Number(Op::kOffset, sum, {}, {}, form.constant,
                [&] { return builder_.CreateNSWAdd(sum.value, builder_.getInt64(form.constant)); });
}

Value* IndexEmitter::Pointer(Value* base, const LinearForm& form) {
  LinearForm sorted = form;
  SortByDepth(&sorted);
  IndexValue pointer{base, 0};
  for (const LinearForm::Term& term : sorted.terms) {
    const IndexValue bytes = Scaled(term.atom, term.coefficient);
    const IndexValue left = pointer;
    pointer = Number(Op::kPointer, left, bytes, {}, 0, [&] {
      return builder_.CreateGEP(builder_.getInt8Ty(), left.value, bytes.value);
    });
  }
  return pointer.value;
}

IndexValue IndexEmitter::EmitDivision(const Expr& e) {
  const IndexValue a = Emit(e->args[0]);
  IndexValue b = Emit(e->args[1]);
  // A divisor that is not a constant may be zero where a guard keeps it from being used.
  if (!llvm::isa<llvm::Constant>(b.value)) b.depth = kHere;
  const Op op = e->kind == ExprKind::kFloorDiv ? Op::kFloorDiv : Op::kFloorMod;
  return Number(op, a, b, {}, 0, [&] { return MakeDivision(e, a.value, b.value); });
}

// LLVM's division truncates; ours rounds down. For a power of two shift and mask round down, and
// where the dividend cannot be negative the two agree.
Value* IndexEmitter::MakeDivision(const Expr& e, Value* a, Value* b) {
  const bool div = e->kind == ExprKind::kFloorDiv;
  llvm::Type* type = a->getType();
  auto number = [&](int64_t n) { return llvm::ConstantInt::getSigned(type, n); };
  int64_t divisor = 0;
  if (ir::IsInt(e->args[1], &divisor) && (divisor & (divisor - 1)) == 0) {
    if (div) return builder_.CreateAShr(a, llvm::Log2_64(static_cast<uint64_t>(divisor)));
    return builder_.CreateAnd(a, number(divisor - 1));
  }
  const std::optional<ir::Interval> bounds = ir::BoundsOf(e->args[0], ranges_);
  if (bounds && bounds->min >= 0) {
    return div ? builder_.CreateUDiv(a, b) : builder_.CreateURem(a, b);
  }
  Value* remainder = builder_.CreateSRem(a, b);
  Value* below = builder_.CreateICmpSLT(remainder, number(0));
  if (!div) return builder_.CreateSelect(below, builder_.CreateAdd(remainder, b), remainder);
  return builder_.CreateAdd(builder_.CreateSDiv(a, b), builder_.CreateSExt(below, type));
}

IndexValue IndexEmitter::EmitMinMax(const Expr& e) {
  const IndexValue a = Emit(e->args[0]);
  const IndexValue b = Emit(e->args[1]);
  const bool min = e->kind == ExprKind::kMin;
  return Number(min ? Op::kMin : Op::kMax, a, b, {}, 0, [&] {
    return builder_.CreateBinaryIntrinsic(min ? llvm::Intrinsic::smin : llvm::Intrinsic::smax,
                                          a.value, b.value);
  });
}

IndexValue IndexEmitter::EmitCompare(const Expr& e) {
  const IndexValue a = Emit(e->args[0]);
  const IndexValue b = Emit(e->args[1]);
  switch (e->kind) {
    case ExprKind::kLt:
      return Number(Op::kLt, a, b, {}, 0, [&] { return builder_.CreateICmpSLT(a.value, b.value); });
    case ExprKind::kLe:
      return Number(Op::kLe, a, b, {}, 0, [&] { return builder_.CreateICmpSLE(a.value, b.value); });
    default:
      return Number(Op::kEq, a, b, {}, 0, [&] { return builder_.CreateICmpEQ(a.value, b.value); });
  }
}

IndexValue IndexEmitter::EmitLogic(const Expr& e) {
  const IndexValue a = Emit(e->args[0]);
  if (e->kind == ExprKind::kNot) {
    return Number(Op::kNot, a, {}, {}, 0, [&] { return builder_.CreateNot(a.value); });
  }
  const IndexValue b = Emit(e->args[1]);
  const bool is_and = e->kind == ExprKind::kAnd;
  return Number(is_and ? Op::kAnd : Op::kOr, a, b, {}, 0, [&] {
    return is_and ? builder_.CreateAnd(a.value, b.value) : builder_.CreateOr(a.value, b.value);
  });
}

IndexValue IndexEmitter::EmitSelect(const Expr& e) {
  if (outside_.MustBranch(e)) return {outside_.EmitHere(e), kHere};
  const IndexValue c = Emit(e->args[0]);
  const IndexValue a = Emit(e->args[1]);
  const IndexValue b = Emit(e->args[2]);
  return Number(Op::kSelect, c, a, b, 0,
                [&] { return builder_.CreateSelect(c.value, a.value, b.value); });
}

}  // namespace alt::codegen
