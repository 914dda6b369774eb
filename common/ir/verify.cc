#include "common/ir/verify.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/printer.h"
#include "common/ir/range_scope.h"
#include "common/ir/visitor.h"

namespace alt::ir {
namespace {

using internal::EndAdd;
using internal::IsOpen;
using internal::RangeScope;

// Calls visit with the parts of condition whose effect on the ranges of variables
// RangeScope::Assume does not reflect exactly: all but comparisons of one variable.
template <typename Visit>
void VisitInexactParts(const Expr& condition, bool value, const Visit& visit) {
  switch (condition->kind) {
    case ExprKind::kNot:
      return VisitInexactParts(condition->args[0], !value, visit);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      if (value != (condition->kind == ExprKind::kAnd)) break;
      VisitInexactParts(condition->args[0], value, visit);
      return VisitInexactParts(condition->args[1], value, visit);
    case ExprKind::kEq:
      if (!value) break;
      [[fallthrough]];
    case ExprKind::kLt:
    case ExprKind::kLe: {
      if (condition->args[0]->dtype != kIndex) return;
      const Linear difference = ToLinear(condition->args[0] - condition->args[1]);
      if (difference.terms.size() != 1 || difference.terms[0].atom->kind != ExprKind::kVar) break;
      return;
    }
    default:
      break;
  }
  visit(condition);
}

class Verifier {
 public:
  explicit Verifier(const Function& f) : f_(f), scope_(no_ranges_) {}

  absl::Status Run() {
    for (const Buffer& param : f_.params) {
      if (!buffers_.insert(param.get()).second) Fail("parameter ", param->name, " stands twice");
    }
    if (!f_.body.defined()) {
      Fail("there is no body");
    } else {
      CheckStmt(f_.body);
    }
    if (error_.empty()) return absl::OkStatus();
    return absl::InternalError(
        absl::StrCat("function ", f_.name, ": ", error_,
                     at_.defined() ? absl::StrCat(" in\n", Print(at_)) : std::string()));
  }

 private:
  template <typename... Parts>
  void Fail(const Parts&... parts) {
    if (!error_.empty()) return;
    error_ = absl::StrCat(parts...);
    at_ = current_;
  }

  void CheckStmt(const Stmt& s) {
    current_ = s;
    switch (s->kind) {
      case StmtKind::kFor:
        return CheckFor(s);
      case StmtKind::kStore:
        CheckExpr(s->value());
        return CheckAccess(s->buffer, s->exprs.data() + 1, true);
      case StmtKind::kAllocate:
        if (!buffers_.insert(s->buffer.get()).second) {
          return Fail(s->buffer->name, " is allocated inside its own allocation");
        }
        CheckStmt(s->body());
        buffers_.erase(s->buffer.get());
        return;
      case StmtKind::kBlock:
        for (const Stmt& child : s->stmts) CheckStmt(child);
        return;
      case StmtKind::kIf:
        CheckExpr(s->condition());
        for (size_t i = 0; i < s->stmts.size(); ++i) {
          Under(s->condition(), i == 0, [&] { CheckStmt(s->stmts[i]); });
        }
        return;
      case StmtKind::kPrefetch:
        // A hint: it may leave its buffer.
        return CheckAccess(s->buffer, s->exprs.data(), false);
      case StmtKind::kNop:
        return;
    }
  }

  void CheckFor(const Stmt& s) {
    CheckExpr(s->min());
    CheckExpr(s->extent());
    if (!variables_.insert(s->var.get()).second) {
      return Fail("loop ", s->var->name, " stands inside a loop over the same variable");
    }
    const Interval min = scope_.Bound(s->min());
    const int64_t last = EndAdd(scope_.Bound(s->extent()).max, -1);
    if (last < 0) {  // never runs: nothing in it can be wrong
      variables_.erase(s->var.get());
      return;
    }
    const RangeScope::Mark mark = scope_.GetMark();
    scope_.SetRange(s->var.get(),
                    {min.min, IsOpen(last) || IsOpen(min.max) ? INT64_MAX : min.max + last});
    // min <= var < min + extent, also where both move.
    const Expr var(s->var);
    scope_.Assume(s->min() <= var, true);
    scope_.Assume(var < s->min() + s->extent(), true);
    const bool constant =
        s->min()->kind == ExprKind::kIntImm && s->extent()->kind == ExprKind::kIntImm;
    inexact_[s->var.get()] = constant ? 0 : 1;
    // The body may run for some values only of the variables that the bounds name.
    MarkBoundsInexact(s, 1);
    CheckStmt(s->body());
    MarkBoundsInexact(s, -1);
    scope_.Restore(mark);
    variables_.erase(s->var.get());
  }

  template <typename Body>
  void Under(const Expr& condition, bool value, Body body) {
    const Interval known = scope_.Bound(condition);
    if (known == internal::Point(value ? 0 : 1)) return;  // unreachable
    // Each lane has its own answer; ranges know of whole vectors only.
    const int guarded_lanes = condition->dtype.lanes > 1 ? 1 : 0;
    lane_guards_ += guarded_lanes;
    const RangeScope::Mark mark = scope_.GetMark();
    MarkInexact(condition, value, 1);
    scope_.Assume(condition, value);
    body();
    MarkInexact(condition, value, -1);
    lane_guards_ -= guarded_lanes;
    scope_.Restore(mark);
  }

  void MarkBoundsInexact(const Stmt& loop, int change) {
    for (const Expr& bound : loop->exprs) {
      VisitExpr(bound, [&](const Expr& node) {
        if (node->kind == ExprKind::kVar) inexact_[node->var.get()] += change;
        return true;
      });
    }
  }

  void MarkInexact(const Expr& condition, bool value, int change) {
    VisitInexactParts(condition, value, [&](const Expr& part) {
      VisitExpr(part, [&](const Expr& node) {
        if (node->kind == ExprKind::kVar) inexact_[node->var.get()] += change;
        return true;
      });
    });
  }

  // Whether RangeScope's bounds of e are reached: each variable occurs once, may take any value of
  // its range, and operators keep contiguous ranges contiguous.
  bool IsExact(const Expr& e) const {
    absl::flat_hash_set<const VarNode*> seen;
    bool exact = true;
    VisitExpr(e, [&](const Expr& node) {
      exact &= node->kind != ExprKind::kSelect && node->kind != ExprKind::kLoad;
      if (node->kind != ExprKind::kVar) return exact;
      exact &= seen.insert(node->var.get()).second;
      const auto marks = inexact_.find(node->var.get());
      exact &= marks == inexact_.end() || marks->second == 0;
      return exact;
    });
    return exact;
  }

  void CheckExpr(const Expr& e) {
    if (e->kind == ExprKind::kVar && !variables_.contains(e->var.get())) {
      Fail("variable ", e->var->name, " is not defined");
    }
    if (e->kind == ExprKind::kLoad) return CheckAccess(e->buffer, e->args.data(), true);
    if (e->kind == ExprKind::kSelect) {
      CheckExpr(e->args[0]);
      for (int i = 0; i < 2; ++i) {
        Under(e->args[0], i == 0, [&] { CheckExpr(e->args[i + 1]); });
      }
      return;
    }
    for (const Expr& arg : e->args) CheckExpr(arg);
  }

  void CheckAccess(const Buffer& buffer, const Expr* indices, bool check_bounds) {
    if (buffer->scope != Scope::kTable && !buffers_.contains(buffer.get())) {
      Fail("buffer ", buffer->name, " is neither a parameter nor allocated here");
    }
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      CheckExpr(indices[d]);
      if (!check_bounds || lane_guards_ > 0) continue;
      const Interval bounds = scope_.Bound(indices[d]);
      const int64_t extent = buffer->shape[d];
      if (bounds.min >= 0 && bounds.max < extent) continue;
      // Bounds may be wider than the truth; an error must be certain.
      const bool outside = bounds.min >= extent || bounds.max < 0;
      if (!outside && !(internal::IsBounded(bounds) && IsExact(indices[d]))) continue;
      Fail("index ", d, " of ", buffer->name, ", ", Print(indices[d]), ", is within [", bounds.min,
           ", ", bounds.max, "], extent ", extent, ",");
    }
  }

  const Function& f_;
  const RangeMap no_ranges_;
  RangeScope scope_;
  absl::flat_hash_set<const VarNode*> variables_;
  absl::flat_hash_set<const BufferNode*> buffers_;
  int lane_guards_ = 0;  // vector conditions around
  // How many reasons there are, here, to think a variable's range wider than its values.
  absl::flat_hash_map<const VarNode*, int> inexact_;
  Stmt current_;
  Stmt at_;
  std::string error_;
};

}  // namespace

absl::Status Verify(const Module& m) {
  for (const Function& f : m.functions) {
    if (absl::Status status = Verifier(f).Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace alt::ir
