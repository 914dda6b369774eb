// Where a read of a logical cell finds it in a physical tensor. Most primitives map an index in one
// way; unfold keeps several copies of a cell and chooses one so that a window stays within a tile.
//
// Exact rules (docs/layout.md#reading-an-unfolded-tensor). With index e = v + r, v without
// reduction axes and r the rest:
//   t = min(floor(v/S), T-1),  b = v + r - t*S,   legal when 0 <= (v mod S) + r < B throughout.
// v is all of e when e does not slide (no reduction axis in it, or nothing else, or both mixed in
// one term): then b < S <= B unless the tiles have gaps. The minimum is left out where v cannot
// reach the tile after the last one. Where it acts, b < B follows from e < E and E <= (T-1)*S + B.
#include "common/layout/access_rewrite.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/ir/visitor.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

// Whether an expression uses reduction variables, others, or both.
struct Uses {
  bool reduction = false;
  bool other = false;
};

Uses UsesOf(const ir::Expr& e, const AccessContext& context) {
  Uses uses;
  ir::VisitExpr(e, [&](const ir::Expr& node) {
    if (node->kind == ir::ExprKind::kVar) {
      (context.reduction.contains(node->var.get()) ? uses.reduction : uses.other) = true;
    }
    return true;
  });
  return uses;
}

// A read index as start + offset: the part that chooses the tile, and what is added within it.
struct Window {
  ir::Linear start;
  ir::Linear offset;
};

// Nullopt for an index that does not slide.
std::optional<Window> SplitWindow(const ir::Linear& index, const AccessContext& context) {
  Window window;
  for (const ir::Linear::Term& term : index.terms) {
    const Uses uses = UsesOf(term.atom, context);
    if (uses.reduction && uses.other) return std::nullopt;
    (uses.reduction ? window.offset : window.start).terms.push_back(term);
  }
  if (window.start.terms.empty() || window.offset.terms.empty()) return std::nullopt;
  window.offset.constant = index.constant;
  return window;
}

std::optional<ir::Interval> LinearBounds(const ir::Linear& linear, const AccessContext& context) {
  return ir::BoundsOf(ir::FromLinear(linear), context.ranges);
}

// Bounds of (start mod stride): with g a divisor of stride and of all coefficients, it is congruent
// to the constant modulo g, so at most stride - g + (constant mod g).
ir::Interval ModBounds(const ir::Linear& start, int64_t stride, const AccessContext& context) {
  int64_t g = stride;
  for (const ir::Linear::Term& term : start.terms) g = std::gcd(g, term.coefficient);
  const int64_t rest = ((start.constant % g) + g) % g;
  ir::Interval bounds = {rest, stride - g + rest};
  auto narrow = [&bounds](const std::optional<ir::Interval>& known) {
    if (!known.has_value()) return;
    bounds.min = std::max(bounds.min, known->min);
    bounds.max = std::min(bounds.max, known->max);
  };
  const ir::Expr e = ir::FromLinear(start);
  narrow(ir::BoundsOf(ir::Simplify(ir::FloorMod(e, stride), context.ranges), context.ranges));
  return bounds;
}

// An unfold of an extent, with its number of tiles.
struct Tiles {
  Unfold unfold;
  int64_t extent;
  int64_t count() const { return NumTiles(extent, unfold.size, unfold.stride); }
};

// Elements of a tile that a window touches, if chosen by its start.
std::optional<ir::Interval> Touched(const Window& window, const Tiles& tiles,
                                    const AccessContext& context) {
  const std::optional<ir::Interval> offset = LinearBounds(window.offset, context);
  if (!offset.has_value()) return std::nullopt;
  const ir::Interval start = ModBounds(window.start, tiles.unfold.stride, context);
  return ir::Interval{start.min + offset->min, start.max + offset->max};
}

// Bounds of the start of windows, knowing that every read is within the tensor.
ir::Interval StartBounds(const Window& window, const Tiles& tiles, const AccessContext& context) {
  constexpr int64_t kFar = int64_t{1} << 62;
  ir::Interval bounds = LinearBounds(window.start, context).value_or(ir::Interval{-kFar, kFar});
  const std::optional<ir::Interval> offset = LinearBounds(window.offset, context);
  if (!offset.has_value()) return bounds;
  return {std::max(bounds.min, -offset->max), std::min(bounds.max, tiles.extent - 1 - offset->min)};
}

// {t, b} for a read at e by a window that fits.
Indices ChooseTile(const ir::Expr& e, const Window& window, const Tiles& tiles,
                   const AccessContext& context) {
  const int64_t stride = tiles.unfold.stride;
  const int64_t last = tiles.count() - 1;
  const ir::Interval start = StartBounds(window, tiles, context);
  ir::Expr t = ir::DivBy(ir::FromLinear(window.start), stride);
  if (start.max >= (last + 1) * stride) t = ir::Min(t, last);
  // Only when the window reaches in from before the tensor.
  if (start.min < 0) t = ir::Max(t, 0);
  return {t, e - ir::Times(t, stride)};
}

absl::Status DoesNotFit(const ir::Expr& e, const std::optional<ir::Interval>& touched,
                        const Tiles& tiles) {
  const std::string reason =
      touched.has_value() ? absl::StrCat("touches elements ", touched->min, " to ", touched->max)
                          : "has an unknown range";
  return absl::FailedPreconditionError(absl::StrCat(Print(Primitive(tiles.unfold)), ": index ",
                                                    ir::Print(e), " ", reason, " of tiles of ",
                                                    tiles.unfold.size));
}

// The start is without a constant first, for tiles aligned with the axis; should the offset then
// not fit, the offset begins at zero.
absl::StatusOr<Indices> MapUnfold(const Tiles& tiles, const ir::Expr& index,
                                  const AccessContext& context) {
  const ir::Expr e = ir::Simplify(index, context.ranges);
  if (tiles.count() == 1) return Indices{ir::Expr(0), e};
  const ir::Linear linear = ir::ToLinear(e);
  std::optional<Window> window = SplitWindow(linear, context);
  if (!window.has_value()) {
    window = Window{.start = linear, .offset = {}};
    // A plain read is within the tensor, so it is at an element below the stride.
    if (tiles.unfold.size >= tiles.unfold.stride) {
      return ChooseTile(e, *window, tiles, context);
    }
  }
  auto fits = [&](const std::optional<ir::Interval>& touched) {
    return touched.has_value() && touched->min >= 0 && touched->max < tiles.unfold.size;
  };
  const std::optional<ir::Interval> touched = Touched(*window, tiles, context);
  if (fits(touched)) return ChooseTile(e, *window, tiles, context);
  if (const std::optional<ir::Interval> offset = LinearBounds(window->offset, context)) {
    Window shifted = *window;
    shifted.start.constant += offset->min;
    shifted.offset.constant -= offset->min;
    if (fits(Touched(shifted, tiles, context))) return ChooseTile(e, shifted, tiles, context);
  }
  return DoesNotFit(e, touched, tiles);
}

// What unpad and fold keep of a dimension: the read must be within.
absl::Status CheckKept(const Primitive& p, const ir::Expr& index, int64_t first, int64_t last,
                       const AccessContext& context) {
  const ir::Expr e = ir::Simplify(index, context.ranges);
  const std::optional<ir::Interval> bounds = ir::BoundsOf(e, context.ranges);
  if (bounds.has_value() && bounds->min >= first && bounds->max <= last) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(Print(p), ": index ", ir::Print(e),
                                                    " may read cells that were dropped (", first,
                                                    " to ", last, " are kept)"));
}

absl::StatusOr<Indices> MapPrimitive(const Primitive& p, const Shape& shape, const Indices& indices,
                                     const AccessContext& context) {
  if (const auto* unfold = std::get_if<Unfold>(&p)) {
    const Tiles tiles = {*unfold, shape[unfold->dim]};
    ALT_ASSIGN_OR_RETURN(Indices parts, MapUnfold(tiles, indices[unfold->dim], context));
    return Splice(indices, unfold->dim, 1, std::move(parts));
  }
  if (const auto* unpad = std::get_if<Unpad>(&p)) {
    const int64_t first = unpad->before;
    const int64_t last = shape[unpad->dim] - unpad->after - 1;
    ALT_RETURN_IF_ERROR(CheckKept(p, indices[unpad->dim], first, last, context));
  }
  Indices after = ToPhysical(p, shape, indices);
  if (const auto* fold = std::get_if<Fold>(&p)) {
    ALT_RETURN_IF_ERROR(CheckKept(p, after[fold->dim], 0, fold->extent - 1, context));
  }
  return after;
}

}  // namespace

absl::StatusOr<Indices> MapRead(const BoundLayout& layout, const Indices& indices,
                                const AccessContext& context) {
  ALT_CHECK_EQ(indices.size(), layout.logical_shape().size());
  Indices result = indices;
  for (size_t i = 0; i < layout.layout().primitives.size(); ++i) {
    const Primitive& p = layout.layout().primitives[i];
    ALT_ASSIGN_OR_RETURN(result, MapPrimitive(p, layout.shapes()[i], result, context));
    ALT_RETURN_IF_ERROR(
        base::Annotate(ir::LimitIndices(context.ranges, absl::MakeSpan(result)), Print(p)));
  }
  return result;
}

}  // namespace alt::layout
