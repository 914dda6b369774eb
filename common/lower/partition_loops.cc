#include "common/lower/partition_loops.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/base/math.h"
#include "common/ir/equality.h"
#include "common/ir/interval.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/ir/visitor.h"

namespace alt::lower {
namespace {

constexpr int64_t kMaxCopies = 64;
constexpr int64_t kMaxNodes = 200000;  // of all copies

// A yes-or-no question inside a loop body: linear >= 0. `node` is the comparison, min or max.
struct Condition {
  ir::Expr node;
  ir::Linear linear;
};

bool IsChoice(const ir::Expr& e) {
  return e->kind == ir::ExprKind::kMin || e->kind == ir::ExprKind::kMax;
}

bool IsCondition(const ir::Expr& e) {
  const bool is_compare = e->kind == ir::ExprKind::kLt || e->kind == ir::ExprKind::kLe;
  return (is_compare || IsChoice(e)) && e->args[0]->dtype == ir::kIndex;
}

Condition MakeCondition(const ir::Expr& e) {
  ir::Expr difference = IsChoice(e) ? e->args[0] - e->args[1] : e->args[1] - e->args[0];
  if (e->kind == ir::ExprKind::kLt) difference = difference - ir::Expr(1);
  return Condition{e, ir::ToLinear(difference)};
}

// The condition with its answer in place.
ir::Expr Answer(const ir::Expr& node, bool holds) {
  switch (node->kind) {
    case ir::ExprKind::kMin:
      return holds ? node->args[1] : node->args[0];
    case ir::ExprKind::kMax:
      return holds ? node->args[0] : node->args[1];
    default:
      return ir::BoolImm(holds);
  }
}

class AnswerCondition : public ir::Mutator {
 public:
  AnswerCondition(ir::Expr node, bool holds) : node_(std::move(node)), holds_(holds) {}
  ir::Expr MutateExpr(const ir::Expr& e) override {
    if ((e->var_filter & node_->var_filter) != node_->var_filter) return e;
    if (e->kind == node_->kind && ir::StructurallyEqual(e, node_)) return Answer(e, holds_);
    return ir::Mutator::MutateExpr(e);
  }

  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    if ((s->var_filter & node_->var_filter) != node_->var_filter) return s;
    return ir::Mutator::MutateStmt(s);
  }

 private:
  ir::Expr node_;
  bool holds_;
};

// Coefficient of var, and the linear form without it; nullopt when var occurs in no or another way.
struct Isolated {
  int64_t coefficient;
  ir::Linear rest;
};
std::optional<Isolated> Isolate(const ir::Linear& linear, const ir::Var& var) {
  Isolated isolated{0, {}};
  isolated.rest.constant = linear.constant;
  for (const ir::Linear::Term& term : linear.terms) {
    if (term.atom->kind == ir::ExprKind::kVar && term.atom->var == var) {
      isolated.coefficient = term.coefficient;
    } else if (ir::UsesVar(term.atom, var)) {
      return std::nullopt;
    } else {
      isolated.rest.terms.push_back(term);
    }
  }
  if (isolated.coefficient == 0) return std::nullopt;
  return isolated;
}

// Where to cut one loop: at constants, or at one expression.
struct Cuts {
  std::set<int64_t> constants;
  std::optional<Condition> condition;  // the first that only an expression decides
};

// What is known of variables while in scope: set on the way into a loop, put back on the way out.
class ScopedRange {
 public:
  ScopedRange(const ir::Var& var, ir::Interval range, ir::RangeMap* ranges)
      : var_(var.get()), ranges_(ranges) {
    const auto [it, inserted] = ranges->emplace(var_, range);
    if (inserted) return;
    before_ = it->second;  // a loop over the same variable around or beside this one
    it->second = range;
  }
  ScopedRange(const ScopedRange&) = delete;
  ScopedRange& operator=(const ScopedRange&) = delete;
  ~ScopedRange() {
    if (before_) {
      (*ranges_)[var_] = *before_;
    } else {
      ranges_->erase(var_);
    }
  }

 private:
  const ir::VarNode* var_;
  ir::RangeMap* ranges_;
  std::optional<ir::Interval> before_;
};

// The values that a loop's variable takes; none when unbounded or never running.
std::optional<ir::Interval> ValuesOf(const ir::Stmt& loop, const ir::RangeMap& ranges) {
  const auto bounds = [&ranges](const ir::Expr& e) -> std::optional<ir::Interval> {
    int64_t value;
    return ir::IsInt(e, &value) ? std::optional(ir::Interval{value, value})
                                : ir::BoundsOf(e, ranges);
  };
  const std::optional<ir::Interval> min = bounds(loop->min()), extent = bounds(loop->extent());
  if (!min || !extent || extent->max <= 0) return std::nullopt;
  return ir::Interval{min->min, min->max + extent->max - 1};
}

class CutFinder {
 public:
  // `ranges` has the loop's own; changed while Find runs.
  CutFinder(const ir::Stmt& loop, ir::RangeMap* ranges)
      : loop_(loop), ranges_(ranges), bounds_(ranges->at(loop->var.get())) {}

  Cuts Find() {
    Visit(loop_->body());
    return std::move(cuts_);
  }

 private:
  bool MayUseVar(uint64_t filter) const { return (filter & ir::VarBit(loop_->var.get())) != 0; }

  void Visit(const ir::Stmt& s) {
    if (!MayUseVar(s->var_filter)) return;
    if (s->kind != ir::StmtKind::kFor) {
      for (const ir::Expr& e : s->exprs) Consider(e);
      for (const ir::Stmt& part : s->stmts) Visit(part);
      return;
    }
    // Only loops that disappear need constant bounds.
    if (ir::IsExpanded(s->for_kind)) {
      for (const ir::Expr& e : s->exprs) Consider(e);
    }
    std::optional<ScopedRange> scoped;
    if (const auto values = ValuesOf(s, *ranges_)) scoped.emplace(s->var, *values, ranges_);
    inner_.push_back(s.get());
    Visit(s->body());
    inner_.pop_back();
  }

  void Consider(const ir::Expr& e) {
    ir::VisitExpr(e, [this](const ir::Expr& part) {
      if (!MayUseVar(part->var_filter)) return false;
      if (IsCondition(part) && ir::UsesVar(part, loop_->var)) Consider(MakeCondition(part));
      return true;
    });
  }

  void Consider(const Condition& condition) {
    const auto isolated = Isolate(condition.linear, loop_->var);
    if (!isolated) return;
    const ir::StmtNode* innermost = nullptr;
    for (const ir::StmtNode* inner : inner_) {
      if (ir::UsesVar(condition.node, inner->var)) innermost = inner;
    }
    if (innermost != nullptr && innermost->for_kind == ir::ForKind::kSerial) return;
    // Copies decide it, unless a vector's lanes differ.
    if (loop_->for_kind == ir::ForKind::kUnrolled &&
        (innermost == nullptr || innermost->for_kind == ir::ForKind::kUnrolled)) {
      return;
    }
    if (isolated->rest.terms.empty() || innermost != nullptr ||
        loop_->for_kind != ir::ForKind::kSerial) {
      AddConstants(*isolated);
    } else if (!cuts_.condition) {
      cuts_.condition = condition;
    }
  }

  // c*v + rest >= 0 holds for all, or for none, values of the rest from a constant v on.
  void AddConstants(const Isolated& isolated) {
    const auto rest = ir::BoundsOf(ir::FromLinear(isolated.rest), *ranges_);
    if (!rest) return;
    const int64_t c = isolated.coefficient;
    for (const int64_t r : {rest->min, rest->max}) {
      AddConstant(c > 0 ? base::CeilDiv(-r, c) : base::FloorDiv(r, -c) + 1);
    }
  }

  void AddConstant(int64_t cut) {
    if (cut > bounds_.min && cut <= bounds_.max) cuts_.constants.insert(cut);
  }

  const ir::Stmt& loop_;
  ir::RangeMap* ranges_;
  const ir::Interval bounds_;
  std::vector<const ir::StmtNode*> inner_;
  Cuts cuts_;
};

ir::Stmt WithBody(const ir::Stmt& loop, ir::Expr min, ir::Expr extent, ir::Stmt body) {
  return ir::For(loop->var, std::move(min), std::move(extent), loop->for_kind, std::move(body),
                 loop->lanes);
}

class Partitioner {
 public:
  ir::Stmt Partition(const ir::Stmt& s, int64_t copies) {
    if (s->kind == ir::StmtKind::kFor) return PartitionFor(s, copies);
    if (s->stmts.empty()) return s;
    std::vector<ir::Stmt> parts;
    bool changed = false;
    for (const ir::Stmt& part : s->stmts) {
      parts.push_back(Partition(part, copies));
      changed |= !parts.back().same_as(part);
    }
    return changed ? ir::WithParts(s, s->exprs, std::move(parts)) : s;
  }

 private:
  ir::Stmt PartitionFor(const ir::Stmt& loop, int64_t copies) {
    const auto values = ValuesOf(loop, ranges_);
    if (!values) return loop;
    const ScopedRange scoped(loop->var, *values, &ranges_);
    const Cuts cuts = CutFinder(loop, &ranges_).Find();
    const bool is_constant =
        loop->min()->kind == ir::ExprKind::kIntImm && loop->extent()->kind == ir::ExprKind::kIntImm;
    const int64_t segments = static_cast<int64_t>(cuts.constants.size()) + 1;
    if (is_constant && segments > 1 && MayCopy(loop, copies * segments)) {
      return CutAtConstants(loop, *values, cuts.constants, copies * segments);
    }
    if (cuts.condition && MayCopy(loop, copies * 2)) {
      return CutAtCondition(loop, *cuts.condition, copies * 2);
    }
    ir::Stmt body = Partition(loop->body(), copies);
    return body.same_as(loop->body()) ? loop : ir::WithParts(loop, loop->exprs, {std::move(body)});
  }

  ir::Stmt CutAtConstants(const ir::Stmt& loop, ir::Interval all, const std::set<int64_t>& cuts,
                          int64_t copies) {
    const bool parallel = loop->for_kind == ir::ForKind::kParallel;
    std::vector<ir::Stmt> parts;
    std::vector<int64_t> ends(cuts.begin(), cuts.end());
    ends.push_back(all.max + 1);
    int64_t begin = all.min;
    for (const int64_t end : ends) {
      const ScopedRange scoped(loop->var, {begin, end - 1}, &ranges_);
      // Simplified first: what is decided then needs no further cuts, and one value is in place.
      ir::Stmt body = Partition(ir::Simplify(loop->body(), ranges_), copies);
      const bool is_loop = !parallel && end - begin > 1 && body->kind != ir::StmtKind::kNop;
      parts.push_back(is_loop ? WithBody(loop, begin, end - begin, std::move(body)) : body);
      begin = end;
    }
    if (!parallel) return ir::Block(std::move(parts));
    ir::Stmt chain = parts.back();
    for (size_t i = cuts.size(); i-- > 0;) {
      chain = ir::If(ir::Expr(loop->var) < ir::Expr(ends[i]), parts[i], chain);
    }
    return WithBody(loop, loop->min(), loop->extent(), chain);
  }

  static bool MayCopy(const ir::Stmt& loop, int64_t copies) {
    return copies <= kMaxCopies && copies * ir::NumNodes(loop) <= kMaxNodes;
  }

  // [min, cut) and [cut, end), with the answer of the condition in place in each.
  ir::Stmt CutAtCondition(const ir::Stmt& loop, const Condition& condition, int64_t copies) {
    const Isolated isolated = *Isolate(condition.linear, loop->var);
    const ir::Expr rest = ir::FromLinear(isolated.rest);
    const int64_t c = isolated.coefficient;
    const ir::Expr first =
        c > 0 ? ir::FloorDiv(ir::Expr(c - 1) - rest, c) : ir::FloorDiv(rest, -c) + ir::Expr(1);
    const ir::Expr end = loop->min() + loop->extent();
    const ir::Expr cut = ir::Simplify(ir::Min(ir::Max(first, loop->min()), end), ranges_);
    const ir::Stmt low = AnswerCondition(condition.node, c < 0).MutateStmt(loop->body());
    const ir::Stmt high = AnswerCondition(condition.node, c > 0).MutateStmt(loop->body());
    std::vector<ir::Stmt> parts;
    for (const ir::Stmt& part : {WithBody(loop, loop->min(), cut - loop->min(), low),
                                 WithBody(loop, cut, end - cut, high)}) {
      parts.push_back(Partition(ir::Simplify(part, ranges_), copies));
    }
    return ir::Block(std::move(parts));
  }

  ir::RangeMap ranges_;
};

}  // namespace

ir::Stmt PartitionLoops(const ir::Stmt& s) { return Partitioner().Partition(s, 1); }

}  // namespace alt::lower
