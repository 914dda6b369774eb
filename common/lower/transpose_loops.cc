#include "common/lower/transpose_loops.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/interval.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/ir/substitute.h"
#include "common/ir/visitor.h"
#include "common/lower/flatten_buffers.h"

namespace alt::lower {
namespace {

bool IsTransposed(const ir::Stmt& s) {
  return s->kind == ir::StmtKind::kFor && s->for_kind == ir::ForKind::kTransposed;
}

bool HasConstantBounds(const ir::Stmt& loop) {
  return loop->min()->kind == ir::ExprKind::kIntImm &&
         loop->extent()->kind == ir::ExprKind::kIntImm;
}

struct Side {
  ir::Var var;
  int64_t min = 0, extent = 0;
};

// By what the loops are to the accesses.
struct Pair {
  Side read, write;
  ir::Stmt store;
};

// How many elements of a flat buffer an access moves when `var` moves by one; none where that is
// not a constant.
std::optional<int64_t> StepOf(const ir::Expr& index, const ir::Var& var,
                              const ir::RangeMap& ranges) {
  int64_t step = 0;
  for (const ir::Linear::Term& term : ir::ToLinear(ir::Simplify(index, ranges)).terms) {
    if (!ir::UsesVar(term.atom, var)) continue;
    if (term.atom->kind != ir::ExprKind::kVar) return std::nullopt;
    step = term.coefficient;
  }
  return step;
}

// FailedPrecondition when these are not the roles of the two loops.
absl::Status CheckRoles(const Pair& pair) {
  // Of one iteration, a variable would be a constant that nothing moves by.
  const auto range = [](const Side& s) {
    return ir::Interval{s.min, s.min + std::max<int64_t>(s.extent, 2) - 1};
  };
  const ir::RangeMap ranges{{pair.read.var.get(), range(pair.read)},
                            {pair.write.var.get(), range(pair.write)}};
  const auto refuse = [&](const char* what, const ir::Buffer& buffer, const ir::Var& var) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, " ", buffer->name, " do not run along ", var->name));
  };
  if (StepOf(ir::IndicesOf(*pair.store)[0], pair.write.var, ranges) != 1) {
    return refuse("stores to", pair.store->buffer, pair.write.var);
  }
  absl::Status status;
  ir::VisitExpr(pair.store->value(), [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kLoad) return status.ok();
    const std::optional<int64_t> step = StepOf(e->args[0], pair.read.var, ranges);
    if (step != 0 && step != 1) status.Update(refuse("reads of", e->buffer, pair.read.var));
    return false;
  });
  return status;
}

// Of two loops, one right inside the other, with a store inside.
absl::StatusOr<Pair> MakePair(const ir::Stmt& outer, const ir::Stmt& inner) {
  const auto side = [](const ir::Stmt& loop) {
    return Side{loop->var, loop->min()->int_value, loop->extent()->int_value};
  };
  const Pair pair{side(outer), side(inner), inner->body()},
      other{pair.write, pair.read, pair.store};
  const absl::Status status = CheckRoles(pair), other_status = CheckRoles(other);
  if (status.ok()) return pair;
  if (other_status.ok()) return other;
  return absl::FailedPreconditionError(
      absl::StrCat("cannot transpose loops ", outer->var->name, " and ", inner->var->name, ": ",
                   std::string(status.message()), ", and ", std::string(other_status.message())));
}

bool IsPair(const ir::Stmt& outer, const ir::Stmt& inner) {
  return IsTransposed(inner) && HasConstantBounds(outer) && HasConstantBounds(inner) &&
         inner->body()->kind == ir::StmtKind::kStore;
}

class Transposer : public ir::Mutator {
 public:
  explicit Transposer(int target_lanes) : target_lanes_(target_lanes) {}

  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    return IsTransposed(s) ? Around(s, s->body()) : ir::Mutator::MutateStmt(s);
  }

 private:
  // The loop around one part of its body: iterations depend on no others.
  ir::Stmt Around(const ir::Stmt& loop, const ir::Stmt& body) {
    if (body->kind == ir::StmtKind::kBlock) {
      std::vector<ir::Stmt> parts;
      for (const ir::Stmt& part : body->stmts) parts.push_back(Around(loop, part));
      return ir::Block(std::move(parts));
    }
    if (IsPair(loop, body)) {
      if (const auto pair = MakePair(loop, body); pair.ok()) return Blocks(*pair);
    }
    const bool is_last = body->kind == ir::StmtKind::kStore;
    return ir::For(loop->var, loop->min(), loop->extent(),
                   is_last ? ir::ForKind::kVectorized : ir::ForKind::kSerial, MutateStmt(body));
  }

  ir::Stmt Blocks(const Pair& pair) {
    const int64_t n = BlockSide(pair.read.extent, pair.write.extent, target_lanes_);
    if (n == 1 || !ir::UsesVar(pair.store->value(), pair.read.var)) {
      const bool along_store = pair.write.extent > 1;
      const Side& vector = along_store ? pair.write : pair.read;
      const Side& other = along_store ? pair.read : pair.write;
      return ir::For(
          other.var, other.min, other.extent, ir::ForKind::kSerial,
          ir::For(vector.var, vector.min, vector.extent, ir::ForKind::kVectorized, pair.store));
    }
    const ir::Buffer rows = ir::MakeBuffer(absl::StrCat(pair.store->buffer->name, "_rows"), {n},
                                           pair.store->buffer->dtype.WithLanes(static_cast<int>(n)),
                                           ir::Scope::kRegister);
    std::vector<ir::Stmt> stmts;
    for (const int64_t read : Starts(pair.read, n)) {
      for (const int64_t write : Starts(pair.write, n)) {
        AddBlock(pair, rows, read, write, stmts);
      }
    }
    return ir::Allocate(rows, ir::Block(std::move(stmts)));
  }

  static std::vector<int64_t> Starts(const Side& side, int64_t n) {
    std::vector<int64_t> starts;
    for (int64_t at = 0; at < side.extent; at += n) {
      starts.push_back(side.min + std::min(at, side.extent - n));
    }
    return starts;
  }

  static void AddBlock(const Pair& pair, const ir::Buffer& rows, int64_t read, int64_t write,
                       std::vector<ir::Stmt>& stmts) {
    const int n = rows->dtype.lanes;
    const ir::VarNode* const read_var = pair.read.var.get();
    const ir::VarNode* const write_var = pair.write.var.get();
    const ir::Expr read_lanes = ir::Ramp(ir::IntImm(read), ir::IntImm(1), n);
    const ir::Expr write_lanes = ir::Ramp(ir::IntImm(write), ir::IntImm(1), n);
    for (int i = 0; i < n; ++i) {
      ir::Expr row = ir::Substitute(pair.store->value(),
                                    {{read_var, read_lanes}, {write_var, ir::IntImm(write + i)}});
      if (row->dtype.lanes == 1) row = ir::Broadcast(row, n);
      stmts.push_back(ir::Store(rows, {ir::IntImm(i)}, std::move(row)));
    }
    const ir::Expr index = ir::IndicesOf(*pair.store)[0];
    for (int i = 0; i < n; ++i) {
      stmts.push_back(ir::Store(
          pair.store->buffer,
          {ir::Substitute(index, {{read_var, ir::IntImm(read + i)}, {write_var, write_lanes}})},
          ir::Transpose(rows, i)));
    }
  }

  const int target_lanes_;
};

// Pairs that the body of a transposed loop holds.
absl::Status CheckPairs(const ir::Stmt& loop, const ir::Stmt& body) {
  if (body->kind == ir::StmtKind::kBlock) {
    for (const ir::Stmt& part : body->stmts) ALT_RETURN_IF_ERROR(CheckPairs(loop, part));
  }
  return IsPair(loop, body) ? MakePair(loop, body).status() : absl::OkStatus();
}

}  // namespace

int64_t BlockSide(int64_t extent, int64_t other_extent, int target_lanes) {
  const int64_t most = std::min({extent, other_extent, static_cast<int64_t>(target_lanes)});
  int64_t n = 1;
  while (2 * n <= most) n *= 2;
  return n;
}

ir::Stmt TransposeLoops(const ir::Stmt& s, int target_lanes) {
  return Transposer(target_lanes).MutateStmt(s);
}

absl::Status CheckTransposes(const ir::Function& function) {
  bool any = false;
  ir::VisitStmt(function.body, [&](const ir::Stmt& s) {
    any |= IsTransposed(s);
    return !any;
  });
  if (!any) return absl::OkStatus();
  absl::Status status;
  ir::VisitStmt(FlattenBuffers(function).body, [&](const ir::Stmt& s) {
    if (IsTransposed(s)) status.Update(CheckPairs(s, s->body()));
    return status.ok();
  });
  return status;
}

}  // namespace alt::lower
