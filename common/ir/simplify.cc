#include "common/ir/simplify.h"

#include "absl/strings/str_cat.h"
#include "common/ir/equality.h"
#include "common/ir/limits.h"
#include "common/ir/simplify_internal.h"

namespace alt::ir {
namespace internal {
namespace {

// A load from a table at constant indices is a number.
Expr FoldTable(const Expr& load) {
  const BufferNode& buffer = *load->buffer;
  int64_t cell = 0;
  for (size_t d = 0; d < load->args.size(); ++d) {
    const Expr& index = load->args[d];
    if (index->kind != ExprKind::kIntImm) return load;
    // Out of bounds: left for Verify to name.
    if (index->int_value < 0 || index->int_value >= buffer.shape[d]) return load;
    cell = cell * buffer.shape[d] + index->int_value;
  }
  return FloatImm(buffer.table[cell], buffer.dtype);
}

}  // namespace

Expr Simplifier::Run(const Expr& e) {
  if (memory_.empty() || e->args.empty()) return RunNew(e);
  Remembered& remembered = memory_[e->hash % kMemory];
  if (remembered.version == scope_.version() && remembered.e.defined() &&
      StructurallyEqual(remembered.e, e)) {
    return remembered.result;
  }
  Expr result = RunNew(e);
  // The slot may have been used meanwhile for an operand: no matter.
  remembered = {scope_.version(), e, result};
  return result;
}

Expr Simplifier::RunNew(const Expr& e) {
  if (e->dtype.is_float()) return RunFloat(e);
  if (e->dtype.lanes > 1) return RunVector(e);
  return e->dtype.scalar == ScalarType::kBool ? RunBool(e) : RunIndex(e);
}

Expr Simplifier::RunIndex(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kIntImm:
      return e;
    case ExprKind::kVar:
      return RunVar(e);
    case ExprKind::kLoad:
      return RunLoad(e);
    default:
      return ToExpr(CollectSum(e), e);
  }
}

Expr Simplifier::RunBool(const Expr& e) {
  Expr result = RunCondition(e);
  const int decided = scope_.Decided(result);
  return decided < 0 ? result : BoolImm(decided != 0);
}

Expr Simplifier::RunCondition(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kIntImm:
      return e;
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
      return RunCompare(e);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return RunAndOr(e);
    case ExprKind::kNot:
      return RunNot(e);
    case ExprKind::kSelect:
      return RunSelect(e);
    case ExprKind::kLoad:
      return RunLoad(e);
    default:
      return RunArgs(e);
  }
}

Expr Simplifier::RunVar(const Expr& e) {
  const VarNode* var = e->var.get();
  for (size_t i = bindings_.size(); i-- > 0;) {
    // Again, since more may be known here than where the loop stood.
    if (bindings_[i].var == var) return RunIndex(bindings_[i].value);
  }
  const Interval range = scope_.RangeOf(var);
  return IsPoint(range) ? Expr(range.min) : e;
}

Expr Simplifier::RunLoad(const Expr& e) {
  const Expr loaded = RunArgs(e);
  const BufferNode& buffer = *loaded->buffer;
  if (loaded->dtype.lanes > buffer.dtype.lanes) return RunVectorLoad(loaded);
  return buffer.scope == Scope::kTable ? FoldTable(loaded) : loaded;
}

Expr Simplifier::RunArgs(const Expr& e) {
  for (size_t i = 0; i < e->args.size(); ++i) {
    Expr arg = Run(e->args[i]);
    if (arg.same_as(e->args[i])) continue;
    absl::InlinedVector<Expr, 2> args = e->args;
    args[i] = std::move(arg);
    for (++i; i < args.size(); ++i) args[i] = Run(e->args[i]);
    return WithArgs(e, std::move(args));
  }
  return e;
}

}  // namespace internal

Expr Simplify(const Expr& e, const RangeMap& ranges) { return internal::Simplifier(ranges).Run(e); }

Stmt Simplify(const Stmt& s, const RangeMap& ranges) {
  return internal::Simplifier(ranges).RunAll(s);
}

absl::Status LimitIndices(const RangeMap& ranges, absl::Span<Expr> indices) {
  constexpr uint64_t kShort = 64;
  const auto total = [indices] {
    uint64_t nodes = 0;
    for (const Expr& e : indices) nodes += e->size;
    return nodes;
  };
  if (total() <= kShort) return absl::OkStatus();
  for (Expr& e : indices) {
    // Simplifying takes time too: a step that made so much of what was in bounds is no good one.
    if (e->size > kMaxBodyNodes) break;
    if (e->size > kShort) e = Simplify(e, ranges);
  }
  const uint64_t nodes = total();
  if (nodes <= kMaxIndexNodes) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the index of an element becomes too long: ", nodes, " nodes, the most is ", kMaxIndexNodes));
}

absl::Status CheckBody(const Expr& body) {
  if (body->size <= kMaxBodyNodes) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the stage's body becomes too long: ", body->size, " nodes, the most is ", kMaxBodyNodes));
}

}  // namespace alt::ir
