#include "common/ir/verify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/ir/lanes.h"
#include "common/ir/printer.h"
#include "common/ir/range_scope.h"
#include "common/ir/substitute.h"
#include "common/ir/visitor.h"

namespace alt::ir {
namespace {

using internal::EndAdd;
using internal::IsOpen;
using internal::RangeScope;

// How many assignments of values to the variables around an access are tried, for one access and
// for a whole function, until one is found for which it leaves its buffer.
constexpr int kTriesPerAccess = 128;
constexpr int kTries = 1024;

// A loop around what is checked, or a condition that it depends on (undefined: one that only runs
// tell, such as a comparison of floats).
struct Frame {
  Var var;  // null: a condition
  Expr min, extent;
  Expr condition;
  bool holds = true;
};

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
    AssumeNotAbove(s->min(), var);
    AssumeNotAbove(var + 1, FromLinear(ToLinear(s->min() + s->extent())));
    frames_.push_back({s->var, s->min(), s->extent(), Expr()});
    CheckStmt(s->body());
    frames_.pop_back();
    scope_.Restore(mark);
    variables_.erase(s->var.get());
  }

  // low <= high, said in sums: partitioned loops run from a max to a min.
  void AssumeNotAbove(const Expr& low, const Expr& high) {
    if (low->kind == ExprKind::kMax) {
      for (const Expr& part : low->args) AssumeNotAbove(part, high);
    } else if (high->kind == ExprKind::kMin) {
      for (const Expr& part : high->args) AssumeNotAbove(low, part);
    } else {
      scope_.Assume(low <= high, true);
    }
  }

  template <typename Body>
  void Under(const Expr& condition, bool value, Body body) {
    // Each lane has its own answer: what it protects is looked at in one lane, whichever it is.
    const Expr in_lane = internal::InLane(condition, LaneOf(condition->dtype.lanes));
    if (in_lane.defined() && scope_.Bound(in_lane) == internal::Point(value ? 0 : 1)) {
      return;  // unreachable
    }
    const RangeScope::Mark mark = scope_.GetMark();
    if (in_lane.defined()) scope_.Assume(in_lane, value);
    frames_.push_back({nullptr, Expr(), Expr(), in_lane, value});
    body();
    frames_.pop_back();
    scope_.Restore(mark);
  }

  // Stands for the number of a lane of vectors of so many.
  Expr LaneOf(int lanes) {
    if (lanes == 1) return Expr();
    auto [lane, is_new] = lanes_.try_emplace(lanes);
    if (is_new) {
      lane->second = MakeVar("lane");
      scope_.SetPermanentRange(lane->second.get(), {0, lanes - 1});
    }
    return Expr(lane->second);
  }

  void CheckExpr(const Expr& e) {
    if (e->kind == ExprKind::kVar && !variables_.contains(e->var.get())) {
      Fail("variable ", e->var->name, " is not defined");
    }
    if (e->kind == ExprKind::kLoad) return CheckAccess(e->buffer, e->args.data(), true);
    if (e->kind == ExprKind::kTranspose) return CheckAllocated(*e->buffer);
    if (e->kind == ExprKind::kSelect) {
      CheckExpr(e->args[0]);
      for (int i = 0; i < 2; ++i) {
        Under(e->args[0], i == 0, [&] { CheckExpr(e->args[i + 1]); });
      }
      return;
    }
    for (const Expr& arg : e->args) CheckExpr(arg);
  }

  void CheckAllocated(const BufferNode& buffer) {
    if (buffer.scope != Scope::kTable && !buffers_.contains(&buffer)) {
      Fail("buffer ", buffer.name, " is neither a parameter nor allocated here");
    }
  }

  void CheckAccess(const Buffer& buffer, const Expr* indices, bool check_bounds) {
    CheckAllocated(*buffer);
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      CheckExpr(indices[d]);
      if (!check_bounds || !error_.empty()) continue;
      const Expr index = internal::InLane(indices[d], LaneOf(indices[d]->dtype.lanes));
      if (!index.defined()) continue;
      const Interval bounds = scope_.Bound(index);
      const int64_t extent = buffer->shape[d];
      if (bounds.min >= 0 && bounds.max < extent) continue;
      const bool above = bounds.max >= extent && FindWitness(index, extent - 1, 1);
      if (!above && !(bounds.min < 0 && FindWitness(index, 0, -1))) continue;
      Fail("index ", d, " of ", buffer->name, ", ", Print(indices[d]), ", is ", witness_,
           ", extent ", extent, ",");
    }
  }

  // Bounds may be wider than the truth, and what conditions say together is not always seen; so
  // what cannot be proved is tried: runs that reach the access, each near the one so far whose
  // index lies farthest up (sign 1) or down (-1), until one passes `last`. It goes into witness_.
  bool FindWitness(const Expr& index, int64_t last, int sign) {
    VarMap farthest;
    int64_t farthest_at = 0;
    for (int i = 0; i < kTriesPerAccess && tries_ < kTries; ++i, ++tries_) {
      const std::optional<VarMap> values = RandomRun(i, farthest);
      if (!values) continue;
      const std::optional<int64_t> at = ValueOf(index, *values);
      if (!at) return false;
      if (sign * *at > sign * last) {
        witness_ = DescribeWitness(index, *at, *values);
        return true;
      }
      if (!farthest.empty() && sign * *at < sign * farthest_at) continue;
      farthest = *values;
      farthest_at = *at;
    }
    return false;
  }

  // Values of all variables around in a run that gets here, many of them as in `near` (which may be
  // empty). Run 0 takes the first iteration of every loop, run 1 the last.
  std::optional<VarMap> RandomRun(int number, const VarMap& near) {
    VarMap values;
    const auto choose = [&](const Var& var, int64_t first, int64_t count) {
      // Conditions on the way narrow what is worth trying.
      const Interval range =
          internal::Intersect({first, first + count - 1}, scope_.RangeOf(var.get()));
      int64_t value = number == 0 ? range.min : range.max;
      const auto known = near.find(var.get());
      if (number >= 2 && known != near.end() && random_.Bernoulli(0.5)) {
        value = std::clamp(known->second->int_value, range.min, range.max);
      } else if (number >= 2) {
        const uint64_t kind = random_.Uniform(4);
        value = kind < 2    ? random_.UniformInt(range.min, range.max)
                : kind == 2 ? range.min
                            : range.max;
      }
      values[var.get()] = IntImm(value);
    };
    for (const auto& [lanes, lane] : lanes_) choose(lane, 0, lanes);
    for (const Frame& frame : frames_) {
      if (frame.var == nullptr) {
        if (!frame.condition.defined()) return std::nullopt;
        if (ValueOf(frame.condition, values) != frame.holds) return std::nullopt;
        continue;
      }
      const std::optional<int64_t> min = ValueOf(frame.min, values);
      const std::optional<int64_t> count = ValueOf(frame.extent, values);
      if (!min || !count || *count <= 0) return std::nullopt;
      choose(frame.var, *min, *count);
    }
    return values;
  }

  static std::optional<int64_t> ValueOf(const Expr& e, const VarMap& values) {
    int64_t value = 0;
    if (IsInt(e, &value) || IsInt(Substitute(e, values), &value)) return value;
    return std::nullopt;
  }

  static std::string DescribeWitness(const Expr& index, int64_t value, const VarMap& values) {
    std::string text = absl::StrCat(value);
    absl::flat_hash_set<const VarNode*> named;
    VisitExpr(index, [&](const Expr& e) {
      if (e->kind == ExprKind::kVar && named.insert(e->var.get()).second) {
        absl::StrAppend(&text, named.size() == 1 ? " at " : ", ", e->var->name, " = ",
                        Print(values.at(e->var.get())));
      }
      return true;
    });
    return text;
  }

  const Function& f_;
  const RangeMap no_ranges_;
  RangeScope scope_;
  absl::flat_hash_set<const VarNode*> variables_;
  absl::flat_hash_set<const BufferNode*> buffers_;
  std::vector<Frame> frames_;  // around, outermost first
  std::map<int, Var> lanes_;   // by the number of lanes; in order, so that runs repeat
  base::Random random_{1};
  int tries_ = 0;
  std::string witness_;  // the index and the values of its variables
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
