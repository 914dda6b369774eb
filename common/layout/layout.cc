#include "common/layout/layout.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

// Where a dimension comes from: part 0 (tiles) or 1 (elements) of an unfold, or nothing of note.
struct Origin {
  int unfold = -1;  // position in the list of primitives
  int part = 0;
};

// Origins after primitive `position`; only dimensions that it leaves alone keep theirs.
std::vector<Origin> OriginsAfter(const Primitive& p, int position,
                                 const std::vector<Origin>& origins) {
  if (const auto* split = std::get_if<Split>(&p)) {
    return Splice(origins, split->dim, 1, std::vector<Origin>(split->factors.size() + 1));
  }
  if (const auto* reorder = std::get_if<Reorder>(&p)) {
    std::vector<Origin> result;
    for (int from : reorder->perm) result.push_back(origins[from]);
    return result;
  }
  if (const auto* fuse = std::get_if<Fuse>(&p)) {
    return Splice(origins, fuse->first, fuse->last - fuse->first + 1, {Origin()});
  }
  if (const auto* unfold = std::get_if<Unfold>(&p)) {
    return Splice(origins, unfold->dim, 1, {Origin{position, 0}, Origin{position, 1}});
  }
  if (const auto* pad = std::get_if<Pad>(&p)) return Splice(origins, pad->dim, 1, {Origin()});
  if (const auto* fold = std::get_if<Fold>(&p)) return Splice(origins, fold->dim, 2, {Origin()});
  return Splice(origins, std::get<Unpad>(p).dim, 1, {Origin()});
}

// A fold of overlapping tiles merges cells; only the copies that an unfold made are sure to agree.
absl::Status CheckFold(const Fold& fold, const Layout& layout, const std::vector<Origin>& origins) {
  if (fold.size <= fold.stride) return absl::OkStatus();
  const Origin& tile = origins[fold.dim];
  const Origin& element = origins[fold.dim + 1];
  if (tile.unfold >= 0 && tile.unfold == element.unfold && tile.part == 0 && element.part == 1) {
    const auto& unfold = std::get<Unfold>(layout.primitives[tile.unfold]);
    if (unfold.size == fold.size && unfold.stride == fold.stride) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      Print(fold), ": dimensions ", fold.dim, " and ", fold.dim + 1,
      " are not the tiles and elements of an unfold by ", fold.size, " and ", fold.stride));
}

}  // namespace

absl::StatusOr<BoundLayout> BoundLayout::Create(Layout layout, Shape logical_shape) {
  for (int64_t extent : logical_shape) {
    if (extent >= 1 && extent <= kMaxNumber) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("extent ", extent, " of the logical shape is out of range"));
  }
  std::vector<Shape> shapes = {std::move(logical_shape)};
  std::vector<Origin> origins(shapes.front().size());
  for (size_t i = 0; i < layout.primitives.size(); ++i) {
    const Primitive& p = layout.primitives[i];
    ALT_ASSIGN_OR_RETURN(Shape after, ApplyToShape(p, shapes.back()));
    if (const auto* fold = std::get_if<Fold>(&p)) {
      ALT_RETURN_IF_ERROR(CheckFold(*fold, layout, origins));
    }
    origins = OriginsAfter(p, static_cast<int>(i), origins);
    shapes.push_back(std::move(after));
  }
  return BoundLayout(std::move(layout), std::move(shapes));
}

bool BoundLayout::has_expanding() const {
  for (const Primitive& p : layout_.primitives) {
    if (IsExpanding(p)) return true;
  }
  return false;
}

std::vector<std::string> BoundLayout::PhysicalNames(const std::vector<std::string>& names) const {
  ALT_CHECK_EQ(names.size(), logical_shape().size());
  std::vector<std::string> result = names;
  for (const Primitive& p : layout_.primitives) result = ApplyToNames(p, result);
  return result;
}

Indices BoundLayout::ToPhysical(const Indices& logical) const {
  ALT_CHECK_EQ(logical.size(), logical_shape().size());
  Indices indices = logical;
  for (size_t i = 0; i < layout_.primitives.size(); ++i) {
    indices = layout::ToPhysical(layout_.primitives[i], shapes_[i], indices);
  }
  return indices;
}

LogicalCell BoundLayout::ToLogical(const Indices& physical) const {
  ALT_CHECK_EQ(physical.size(), physical_shape().size());
  LogicalCell cell = {physical, ir::BoolImm(true)};
  for (size_t i = layout_.primitives.size(); i-- > 0;) {
    LogicalCell before = layout::ToLogical(layout_.primitives[i], shapes_[i], cell.indices);
    cell.indices = std::move(before.indices);
    if (ir::IsIntValue(before.holds_data, 1)) continue;
    cell.holds_data = ir::IsIntValue(cell.holds_data, 1)
                          ? before.holds_data
                          : ir::And(cell.holds_data, before.holds_data);
  }
  return cell;
}

}  // namespace alt::layout
