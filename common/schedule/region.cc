#include "common/schedule/region.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
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

// What an index may be in one iteration of the target loop: [low, low + width]. low names loops
// around the place only; undefined where no such bounds are known.
struct Span {
  ir::Expr low;
  int64_t width = 0;
};

// Finds spans of indices, given which variables stand still within the iteration.
class SpanFinder {
 public:
  SpanFinder(const VarSet& fixed_vars, const ir::RangeMap& ranges)
      : fixed_vars_(fixed_vars), ranges_(ranges) {}

  Span Find(const ir::Expr& index) const {
    const ir::Linear sum = ir::ToLinear(index);
    // What varies is bounded as a whole: its terms may depend on each other.
    ir::Linear varying;
    Span span{ir::IntImm(sum.constant), 0};
    for (const ir::Linear::Term& term : sum.terms) {
      const auto [fixed, varies] = NamesOf(term.atom);
      if (varies && !fixed) {
        varying.terms.push_back(term);
        continue;
      }
      const Span part = varies ? FindMixed(term.atom) : Span{term.atom, 0};
      if (!part.low.defined()) return {};
      const bool down = term.coefficient < 0;
      const ir::Expr end = down ? part.low + ir::Expr(part.width) : part.low;
      span.low = span.low + end * ir::Expr(term.coefficient);
      span.width += part.width * (down ? -term.coefficient : term.coefficient);
    }
    const auto bounds = ir::BoundsOf(ir::FromLinear(varying), ranges_);
    if (!bounds) return {};
    span.low = ir::Simplify(span.low + ir::Expr(bounds->min), ranges_);
    span.width += bounds->max - bounds->min;
    return span;
  }

  // The least span around both.
  Span Hull(const Span& a, const Span& b) const {
    if (!a.low.defined() || !b.low.defined()) return {};
    const auto apart = ir::BoundsOf(ir::Simplify(b.low - a.low, ranges_), ranges_);
    if (!apart) return {};
    const int64_t down = std::min<int64_t>(apart->min, 0);
    return {ir::Simplify(a.low + ir::Expr(down), ranges_),
            std::max(a.width, apart->max + b.width) - down};
  }

 private:
  struct Names {
    bool fixed = false;
    bool varying = false;
  };
  Names NamesOf(const ir::Expr& e) const {
    Names names;
    ir::VisitExpr(e, [&](const ir::Expr& part) {
      if (part->kind != ir::ExprKind::kVar) return true;
      (fixed_vars_.contains(part->var.get()) ? names.fixed : names.varying) = true;
      return true;
    });
    return names;
  }

  // Of an atom in which variables of both kinds meet.
  Span FindMixed(const ir::Expr& e) const {
    int64_t divisor = 0;
    switch (e->kind) {
      case ir::ExprKind::kFloorDiv:
        return ir::IsInt(e->args[1], &divisor) ? Divided(Find(e->args[0]), divisor) : Span{};
      case ir::ExprKind::kFloorMod:
        return ir::IsInt(e->args[1], &divisor) ? Digit(Find(e->args[0]), divisor) : Span{};
      case ir::ExprKind::kSelect:
        return Hull(Find(e->args[1]), Find(e->args[2]));
      case ir::ExprKind::kMin:
      case ir::ExprKind::kMax: {
        const Span a = Find(e->args[0]), b = Find(e->args[1]);
        if (!a.low.defined() || !b.low.defined()) return {};
        const ir::Expr low =
            e->kind == ir::ExprKind::kMin ? ir::Min(a.low, b.low) : ir::Max(a.low, b.low);
        return {low, std::max(a.width, b.width)};
      }
      default:
        return {};
    }
  }

  Span Divided(const Span& span, int64_t divisor) const {
    if (!span.low.defined()) return {};
    const ir::Expr low = ir::FloorDiv(span.low, divisor);
    int64_t width = (span.width + divisor - 1) / divisor;
    // Less where the low end is known to lie early in its block.
    const ir::Expr high = ir::FloorDiv(span.low + ir::Expr(span.width), divisor);
    const auto exact = ir::BoundsOf(ir::Simplify(high - low, ranges_), ranges_);
    if (exact) width = std::min(width, exact->max);
    return {low, width};
  }

  Span Digit(const Span& span, int64_t divisor) const {
    const Span block = Divided(span, divisor);
    if (!block.low.defined() || block.width > 0) return {ir::IntImm(0), divisor - 1};
    return {ir::FloorMod(span.low, divisor), span.width};
  }

  const VarSet& fixed_vars_;
  const ir::RangeMap& ranges_;
};

// Adds every read of the tensor in one reader to the spans of its dimensions; returns how many.
absl::StatusOr<int> AddReads(const StageNest& reader, const ir::Buffer& tensor,
                             const SpanFinder& finder, const ir::RangeMap& ranges, bool first,
                             std::vector<Span>& spans) {
  int reads = 0;
  absl::Status status;
  ir::VisitExpr(reader.stage.body, [&](const ir::Expr& e) {
    if (!status.ok()) return false;
    if (e->kind != ir::ExprKind::kLoad || e->buffer != tensor) return true;
    for (size_t d = 0; d < spans.size(); ++d) {
      const ir::Expr index = ir::Substitute(e->args[d], reader.axis_values);
      status = ir::CheckBody(index);
      if (!status.ok()) return false;
      const Span span = finder.Find(ir::Simplify(index, ranges));
      spans[d] = first && reads == 0 ? span : finder.Hull(spans[d], span);
    }
    ++reads;
    return true;
  });
  ALT_RETURN_IF_ERROR(status);
  return reads;
}

// Guarded reads may lie outside of the tensor; those cells are not computed.
void AddClipped(const Span& span, int64_t whole, const ir::RangeMap& ranges, Region& region) {
  const ir::Expr low = span.low, zero = ir::IntImm(0);
  const int64_t most = std::min(span.width + 1, whole);
  const ir::Expr min = ir::Simplify(ir::Max(low, zero), ranges);
  // min(low + width + 1, whole) - max(low, 0), in a form whose largest value shows.
  const ir::Expr below = ir::Min(ir::Expr(most), ir::Expr(span.width + 1) + ir::Min(low, zero));
  region.min.push_back(min);
  region.count.push_back(ir::Simplify(ir::Min(below, ir::Expr(whole) - min), ranges));
  region.max_count.push_back(most);
}

}  // namespace

absl::StatusOr<Region> RegionReadInside(const LoopNest& nest, const StageNest& producer,
                                        const StageNest& target, size_t target_loop) {
  VarSet fixed_vars;
  AddEnclosing(nest, target, target_loop + 1, fixed_vars);
  const ir::RangeMap ranges = nest.LoopRanges();
  const SpanFinder finder(fixed_vars, ranges);
  const ir::Buffer& tensor = producer.stage.output;
  std::vector<Span> spans(tensor->shape.size());
  int reads = 0;
  for (const StageNest& reader : nest.stages()) {
    if (reader.inlined) continue;
    const std::vector<ir::Buffer> tensors = te::ReadsOf(reader.stage);
    if (std::find(tensors.begin(), tensors.end(), tensor) == tensors.end()) continue;
    if (&reader != &target && !StandsInside(nest, reader, target, target_loop)) {
      return absl::FailedPreconditionError(
          absl::StrCat("stage ", reader.stage.name, " reads it outside of that loop"));
    }
    ALT_ASSIGN_OR_RETURN(const int more,
                         AddReads(reader, tensor, finder, ranges, reads == 0, spans));
    reads += more;
  }
  if (reads == 0) return absl::FailedPreconditionError("no stage reads it inside of that loop");
  Region region;
  for (size_t d = 0; d < spans.size(); ++d) {
    if (!spans[d].low.defined()) {
      return absl::FailedPreconditionError(
          absl::StrCat("what is read of it along dimension ", d,
                       " does not follow from the loops around: every iteration would compute all ",
                       tensor->shape[d], " cells of it"));
    }
    AddClipped(spans[d], tensor->shape[d], ranges, region);
  }
  ALT_RETURN_IF_ERROR(ir::LimitIndices(ranges, absl::MakeSpan(region.min)));
  ALT_RETURN_IF_ERROR(ir::LimitIndices(ranges, absl::MakeSpan(region.count)));
  return region;
}

}  // namespace alt::schedule
