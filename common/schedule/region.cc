#include "common/schedule/region.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/equality.h"
#include "common/ir/interval.h"
#include "common/ir/simplify.h"
#include "common/ir/visitor.h"

namespace alt::schedule {
namespace {

using VarSet = absl::flat_hash_set<const ir::VarNode*>;

const StageNest* FindNest(const LoopNest& nest, absl::string_view name) {
  for (const StageNest& stage : nest.stages()) {
    if (stage.stage.name == name) return &stage;
  }
  return nullptr;
}

// Loops [0, end) of a stage and those around the place where it is computed.
void AddEnclosing(const LoopNest& nest, const StageNest& stage, size_t end, VarSet& vars) {
  for (size_t i = 0; i < end; ++i) vars.insert(stage.loops[i].var.get());
  if (!stage.attachment) return;
  const StageNest* outer = FindNest(nest, stage.attachment->stage);
  AddEnclosing(nest, *outer, *outer->FindLoop(stage.attachment->axis) + 1, vars);
}

// True when `stage` is computed inside loop `loop` of `target`, directly or through others.
bool StandsInside(const LoopNest& nest, const StageNest& stage, const StageNest& target,
                  size_t loop) {
  if (!stage.attachment) return false;
  const StageNest* outer = FindNest(nest, stage.attachment->stage);
  if (outer == &target) return *outer->FindLoop(stage.attachment->axis) >= loop;
  return StandsInside(nest, *outer, target, loop);
}

// One dimension: what varies inside the target loop spans [low, high] around a fixed part.
struct Span {
  ir::Expr fixed;  // undefined: the whole dimension
  int64_t low = 0;
  int64_t high = 0;
};

Span SpanOf(const ir::Expr& index, const VarSet& fixed_vars, const ir::RangeMap& ranges) {
  ir::Linear fixed, varying;
  for (const ir::Linear::Term& term : ir::ToLinear(index).terms) {
    bool has_fixed = false, has_varying = false;
    ir::VisitExpr(term.atom, [&](const ir::Expr& e) {
      if (e->kind != ir::ExprKind::kVar) return true;
      (fixed_vars.contains(e->var.get()) ? has_fixed : has_varying) = true;
      return true;
    });
    if (has_fixed && has_varying) return {};
    (has_varying ? varying : fixed).terms.push_back(term);
  }
  varying.constant = ir::ToLinear(index).constant;
  const auto bounds = ir::BoundsOf(ir::FromLinear(varying), ranges);
  if (!bounds) return {};
  return {ir::FromLinear(fixed), bounds->min, bounds->max};
}

// Region that covers both; a dimension with different fixed parts is taken whole.
void Merge(const Span& span, bool first, Span& into) {
  if (first) {
    into = span;
  } else if (!into.fixed.defined() || !span.fixed.defined() ||
             !ir::StructurallyEqual(into.fixed, span.fixed)) {
    into = {};
  } else {
    into.low = std::min(into.low, span.low);
    into.high = std::max(into.high, span.high);
  }
}

// Every read of the producer in one reader: merges its spans.
bool AddReads(const StageNest& reader, const ir::Buffer& tensor, const VarSet& fixed_vars,
              const ir::RangeMap& ranges, bool first, std::vector<Span>& spans) {
  ir::VisitExpr(reader.stage.body, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kLoad || e->buffer != tensor) return true;
    for (size_t d = 0; d < spans.size(); ++d) {
      const ir::Expr index = ir::Simplify(ir::Substitute(e->args[d], reader.axis_values), ranges);
      Merge(SpanOf(index, fixed_vars, ranges), first, spans[d]);
    }
    first = false;
    return true;
  });
  return first;
}

}  // namespace

absl::StatusOr<Region> RegionReadInside(const LoopNest& nest, const StageNest& producer,
                                        const StageNest& target, size_t target_loop) {
  VarSet fixed_vars;
  AddEnclosing(nest, target, target_loop + 1, fixed_vars);
  const ir::RangeMap ranges = nest.LoopRanges();
  const ir::Buffer& tensor = producer.stage.output;
  std::vector<Span> spans(tensor->shape.size());
  bool first = true;
  for (const StageNest& reader : nest.stages()) {
    if (reader.inlined) continue;
    const std::vector<ir::Buffer> reads = te::ReadsOf(reader.stage);
    if (std::find(reads.begin(), reads.end(), tensor) == reads.end()) continue;
    if (&reader != &target && !StandsInside(nest, reader, target, target_loop)) {
      return absl::FailedPreconditionError(
          absl::StrCat("stage ", reader.stage.name, " reads it outside of that loop"));
    }
    first = AddReads(reader, tensor, fixed_vars, ranges, first, spans);
  }
  if (first) return absl::FailedPreconditionError("no stage reads it inside of that loop");
  Region region;
  for (size_t d = 0; d < spans.size(); ++d) {
    const int64_t whole = tensor->shape[d];
    const Span& span = spans[d];
    ir::Expr min =
        span.fixed.defined() ? ir::Simplify(span.fixed + ir::Expr(span.low), ranges) : ir::Expr(0);
    int64_t extent = span.fixed.defined() ? span.high - span.low + 1 : whole;
    // Guarded reads may lie outside of the tensor; those cells are not computed.
    const auto bounds = ir::BoundsOf(min, ranges);
    int64_t constant = 0;
    if (bounds && bounds->min < 0 && ir::IsInt(min, &constant)) {
      extent += constant;
      min = ir::Expr(0);
    }
    if (!bounds || (bounds->min < 0 && !ir::IsZero(min)) || extent >= whole) {
      min = ir::Expr(0);
      extent = whole;
    }
    region.min.push_back(min);
    region.extent.push_back(std::max<int64_t>(1, extent));
  }
  return region;
}

}  // namespace alt::schedule
