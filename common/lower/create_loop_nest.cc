#include "common/lower/create_loop_nest.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/ir/visitor.h"

namespace alt::lower {
namespace {

using schedule::Loop;
using schedule::StageNest;
using VarSet = absl::flat_hash_set<const ir::VarNode*>;
using Guards = std::vector<ir::Expr>;

// Where an intermediate tensor lives: a buffer of its region, indexed from the region's minimum.
struct Home {
  ir::Buffer buffer;
  std::vector<ir::Expr> min;  // empty: the whole tensor
};
using Homes = absl::flat_hash_map<const ir::BufferNode*, Home>;

class AccessMover : public ir::Mutator {
 public:
  explicit AccessMover(const Homes& homes) : homes_(homes) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    const ir::Expr mutated = ir::Mutator::MutateExpr(e);
    if (mutated->kind != ir::ExprKind::kLoad) return mutated;
    const auto home = homes_.find(mutated->buffer.get());
    if (home == homes_.end()) return mutated;
    std::vector<ir::Expr> indices(mutated->args.begin(), mutated->args.end());
    return ir::Load(home->second.buffer, Move(home->second, std::move(indices)));
  }

  static std::vector<ir::Expr> Move(const Home& home, std::vector<ir::Expr> indices) {
    for (size_t d = 0; d < home.min.size(); ++d) indices[d] = indices[d] - home.min[d];
    return indices;
  }

 private:
  const Homes& homes_;
};

bool InScope(const ir::Expr& e, const VarSet& scope) {
  bool all = true;
  ir::VisitExpr(e, [&](const ir::Expr& part) {
    if (part->kind == ir::ExprKind::kVar && !scope.contains(part->var.get())) all = false;
    return all;
  });
  return all;
}

// The same for a hint and the loops around it.
bool InScope(const ir::Stmt& hint, VarSet scope) {
  if (hint->kind != ir::StmtKind::kFor) {
    const std::vector<ir::Expr> indices = ir::IndicesOf(*hint);
    return std::all_of(indices.begin(), indices.end(),
                       [&](const ir::Expr& index) { return InScope(index, scope); });
  }
  if (!InScope(hint->extent(), scope)) return false;
  scope.insert(hint->var.get());
  return InScope(hint->body(), std::move(scope));
}

class Emitter {
 public:
  explicit Emitter(const schedule::LoopNest& nest) : nest_(nest) {
    for (const StageNest& stage : nest.stages()) {
      const bool is_result = &stage == &nest.stages().back();
      if (!stage.inlined && !is_result) homes_[stage.stage.output.get()] = MakeHome(stage);
    }
  }

  absl::StatusOr<ir::Stmt> EmitAll() {
    std::vector<const StageNest*> roots;
    for (const StageNest& stage : nest_.stages()) {
      if (!stage.inlined) ALT_RETURN_IF_ERROR(AddBody(stage));
      if (!stage.inlined && !stage.attachment) roots.push_back(&stage);
    }
    std::vector<ir::Stmt> stmts;
    for (const StageNest* root : roots) stmts.push_back(EmitStage(*root, {}));
    ir::Stmt body = ir::Block(std::move(stmts));
    for (auto root = roots.rbegin(); root != roots.rend(); ++root) {
      const auto home = homes_.find((*root)->stage.output.get());
      if (home != homes_.end()) body = ir::Allocate(home->second.buffer, body);
    }
    return body;
  }

 private:
  static Home MakeHome(const StageNest& stage) {
    const ir::Buffer& tensor = stage.stage.output;
    if (!stage.attachment) {
      return {ir::MakeBuffer(tensor->name, tensor->shape, tensor->dtype, ir::Scope::kLocal), {}};
    }
    const schedule::Region& region = stage.attachment->region;
    return {ir::MakeBuffer(tensor->name, region.max_count, tensor->dtype, ir::Scope::kLocal),
            region.min};
  }

  absl::Status AddBody(const StageNest& stage) {
    const ir::Expr body = ir::Substitute(stage.stage.body, stage.axis_values);
    ALT_RETURN_IF_ERROR(base::Annotate(ir::CheckBody(body), stage.stage.name));
    bodies_[&stage] = AccessMover(homes_).MutateExpr(body);
    return absl::OkStatus();
  }

  const ir::Expr& Body(const StageNest& stage) const { return bodies_.at(&stage); }

  ir::Stmt StoreOutput(const StageNest& stage, ir::Expr value) const {
    std::vector<ir::Expr> indices;
    for (const te::Axis& axis : stage.stage.spatial) {
      indices.push_back(stage.axis_values.at(axis.var.get()));
    }
    const auto home = homes_.find(stage.stage.output.get());
    if (home == homes_.end()) return ir::Store(stage.stage.output, indices, value);
    return ir::Store(home->second.buffer, AccessMover::Move(home->second, indices), value);
  }

  ir::Stmt EmitStage(const StageNest& stage, const VarSet& scope) {
    size_t reduction = 0;
    while (reduction < stage.loops.size() && !stage.loops[reduction].reduction) ++reduction;
    std::vector<const Loop*> outer, inner;
    for (size_t i = 0; i < stage.loops.size(); ++i) {
      (i < reduction ? outer : inner).push_back(&stage.loops[i]);
    }
    return EmitLoops(stage, outer, scope, {}, [&](const VarSet& inside, const Guards& guards) {
      if (inner.empty()) return StoreOutput(stage, Body(stage));
      return EmitReduction(stage, inner, inside, guards);
    });
  }

  // acc = identity; loops { acc = combine(acc, body) }; output = acc
  ir::Stmt EmitReduction(const StageNest& stage, const std::vector<const Loop*>& loops,
                         const VarSet& scope, const Guards& guards) {
    std::vector<const Loop*> spatial;
    std::vector<int64_t> shape;
    std::vector<ir::Expr> index;
    for (const Loop* loop : loops) {
      if (loop->reduction) continue;
      spatial.push_back(loop);
      shape.push_back(loop->max_extent);
      index.push_back(ir::Expr(loop->var));
    }
    const ir::Buffer acc = ir::MakeBuffer(absl::StrCat(stage.stage.output->name, "_acc"), shape,
                                          stage.stage.output->dtype, ir::Scope::kLocal);
    const te::Reducer& reducer = *stage.stage.reducer;
    const ir::Stmt init = EmitLoops(
        stage, spatial, scope, guards,
        [&](const VarSet&, const Guards&) {
          return ir::Store(acc, index, reducer.identity(acc->dtype));
        },
        /*attached=*/false);
    const ir::Stmt update =
        EmitLoops(stage, loops, scope, guards, [&](const VarSet&, const Guards&) {
          return ir::Store(acc, index, reducer.combine(ir::Load(acc, index), Body(stage)));
        });
    const ir::Stmt store = EmitLoops(
        stage, spatial, scope, guards,
        [&](const VarSet&, const Guards&) { return StoreOutput(stage, ir::Load(acc, index)); },
        /*attached=*/false);
    return ir::Allocate(acc, ir::Block({init, update, store}));
  }

  // The loops around leaf(scope inside, guards that name loops further in still). A loop whose
  // number of iterations names such a loop runs its most iterations and guards the leaf.
  // `attached`: with stages computed inside.
  template <class Leaf>
  ir::Stmt EmitLoops(const StageNest& stage, const std::vector<const Loop*>& loops, VarSet scope,
                     Guards guards, const Leaf& leaf, bool attached = true) {
    return EmitLoop(stage, loops, 0, std::move(scope), std::move(guards), leaf, attached);
  }

  template <class Leaf>
  ir::Stmt EmitLoop(const StageNest& stage, const std::vector<const Loop*>& loops, size_t i,
                    VarSet scope, Guards guards, const Leaf& leaf, bool attached) {
    if (i == loops.size()) {
      Guards here, later;
      for (const ir::Expr& guard : guards) (InScope(guard, scope) ? here : later).push_back(guard);
      ir::Stmt body = leaf(scope, later);
      for (const ir::Expr& guard : here) body = ir::If(guard, body);
      return body;
    }
    const Loop& loop = *loops[i];
    ir::Expr extent = loop.extent;
    if (!InScope(extent, scope)) {
      guards.push_back(ir::Expr(loop.var) < extent);
      extent = ir::IntImm(loop.max_extent);
    }
    scope.insert(loop.var.get());
    const VarSet inside = scope;
    ir::Stmt body =
        EmitLoop(stage, loops, i + 1, std::move(scope), std::move(guards), leaf, attached);
    if (attached) {
      body = AddAttached(stage, loop, inside, std::move(body));
      body = AddPrefetches(stage, loops, i, inside, std::move(body));
    }
    return ir::For(loop.var, ir::IntImm(0), extent, loop.kind, body, loop.lanes);
  }

  ir::Stmt AddAttached(const StageNest& stage, const Loop& loop, const VarSet& scope,
                       ir::Stmt body) {
    // The last producer stands next to the body: its inputs were computed before it.
    for (auto it = nest_.stages().rbegin(); it != nest_.stages().rend(); ++it) {
      if (!it->attachment || it->attachment->stage != stage.stage.name ||
          it->attachment->axis != loop.name) {
        continue;
      }
      const Home& home = homes_.at(it->stage.output.get());
      body = ir::Allocate(home.buffer, ir::Block({EmitStage(*it, scope), body}));
    }
    return body;
  }

  // Hints for what the reads of a tensor touch some iterations ahead.
  ir::Stmt AddPrefetches(const StageNest& stage, const std::vector<const Loop*>& loops, size_t at,
                         const VarSet& scope, ir::Stmt body) {
    for (const Loop::PrefetchHint& hint : loops[at]->prefetches) {
      if (IsComputedInside(stage, *loops[at], hint.tensor)) continue;
      std::vector<ir::Stmt> hints;
      ir::VisitExpr(Body(stage), [&](const ir::Expr& e) {
        if (e->kind != ir::ExprKind::kLoad || e->buffer->name != hint.tensor) return true;
        const std::optional<ir::Stmt> stmt = MakeHint(e, loops, at, hint.distance);
        // A loop between may be in another list, or shorter by one further in.
        if (stmt && InScope(*stmt, scope)) hints.push_back(*stmt);
        return true;
      });
      hints.push_back(body);
      body = ir::Block(std::move(hints));
    }
    return body;
  }

  // A tensor that each iteration of the loop computes anew: there is nothing of it ahead.
  bool IsComputedInside(const StageNest& stage, const Loop& loop, const std::string& tensor) const {
    for (const StageNest& producer : nest_.stages()) {
      if (producer.stage.output->name != tensor || !producer.attachment ||
          producer.attachment->stage != stage.stage.name) {
        continue;
      }
      return stage.FindLoop(producer.attachment->axis) >= stage.FindLoop(loop.name);
    }
    return false;
  }

  // A hint for what `read` touches ahead in loop `at`, inside those of the further loops that the
  // address depends on; nothing where it would run far ahead.
  static std::optional<ir::Stmt> MakeHint(const ir::Expr& read,
                                          const std::vector<const Loop*>& loops, size_t at,
                                          int64_t distance) {
    const ir::Var& var = loops[at]->var;
    const ir::VarMap ahead{{var.get(), ir::Expr(var) + ir::Expr(distance)}};
    std::vector<ir::Expr> indices;
    for (const ir::Expr& index : read->args) indices.push_back(ir::Substitute(index, ahead));
    ir::Stmt hint = ir::Prefetch(read->buffer, indices);
    for (size_t i = loops.size(); i-- > at + 1;) {
      const Loop& loop = *loops[i];
      if (!ir::UsesVar(hint, loop.var)) continue;
      if (loop.kind == ir::ForKind::kSerial || loop.kind == ir::ForKind::kTransposed) {
        return std::nullopt;
      }
      hint = ir::For(loop.var, ir::IntImm(0), loop.extent, loop.kind, hint, loop.lanes);
    }
    return hint;
  }

  const schedule::LoopNest& nest_;
  Homes homes_;
  absl::flat_hash_map<const StageNest*, ir::Expr> bodies_;  // over the loops
};

}  // namespace

absl::StatusOr<ir::Stmt> CreateLoopNest(const schedule::LoopNest& nest) {
  return Emitter(nest).EmitAll();
}

}  // namespace alt::lower
