#include "server/search/space/draft.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace alt::search {

int64_t Nest::unit() const {
  const bool in_groups =
      channel != nullptr && channel->part == AxisPart::kColumn && channel->data.used();
  return in_groups ? channel->data.divisor : 0;
}

void Draft::SetLayout(const ir::Buffer& tensor, layout::Layout layout) {
  if (!IsFixed(tensor)) layouts[tensor->name] = std::move(layout);
}

layout::Layout Draft::LayoutOf(const ir::Buffer& tensor) const {
  if (const auto it = fixed.find(tensor->name); it != fixed.end()) return it->second;
  const auto it = layouts.find(tensor->name);
  return it == layouts.end() ? layout::Layout{} : it->second;
}

std::vector<NamedAxis> Draft::AxesOf(const te::Stage& stage) const {
  std::vector<std::string> names;
  for (const te::Axis& axis : stage.spatial) names.push_back(axis.name());
  const auto bound = layout::BoundLayout::Create(LayoutOf(stage.output), stage.output->shape);
  ALT_CHECK_OK(bound);
  const auto physical = bound->PhysicalNames(names);
  ALT_CHECK_OK(physical);
  std::vector<NamedAxis> axes;
  for (size_t i = 0; i < physical->size(); ++i) {
    axes.push_back({(*physical)[i], bound->physical_shape()[i]});
  }
  return axes;
}

Innermost InnermostOf(const layout::Layout& layout, const layout::Shape& shape) {
  const auto bound = layout::BoundLayout::Create(layout, shape);
  if (!bound.ok()) return {};
  std::vector<std::string> names;
  for (size_t d = 0; d < shape.size(); ++d) names.push_back(absl::StrCat("d", d));
  const auto physical = bound->PhysicalNames(names);
  for (size_t d = 0; physical.ok() && d < names.size(); ++d) {
    if (!IsPartOf({physical->back()}, names[d])) continue;
    return {static_cast<int>(d), bound->physical_shape().back()};
  }
  return {};
}

int DimOf(const te::Stage& stage, const std::string& axis) {
  for (size_t d = 0; d < stage.spatial.size(); ++d) {
    if (stage.spatial[d].name() == axis) return static_cast<int>(d);
  }
  ALT_CHECK(false) << stage.name << " has no axis " << axis;
  return -1;
}

bool IsPartOf(const NamedAxis& axis, const std::string& logical) {
  return axis.name == logical || absl::StartsWith(axis.name, absl::StrCat(logical, "."));
}

NamedAxis TakeInnermost(const std::string& logical, std::vector<NamedAxis>& axes) {
  for (size_t i = axes.size(); i-- > 0;) {
    if (!IsPartOf(axes[i], logical)) continue;
    NamedAxis axis = axes[i];
    axes.erase(axes.begin() + static_cast<ptrdiff_t>(i));
    return axis;
  }
  return {};
}

LayoutWriter::LayoutWriter(int rank) {
  for (int d = 0; d < rank; ++d) parts_.push_back({d, 0});
}

int LayoutWriter::PositionOf(int dim) const {
  const auto at = std::find(parts_.begin(), parts_.end(), Part{dim, 0});
  ALT_CHECK(at != parts_.end());
  return static_cast<int>(at - parts_.begin());
}

void LayoutWriter::Replace(int position, int dim, int levels) {
  parts_.erase(parts_.begin() + position);
  for (int level = levels; level-- > 0;) parts_.insert(parts_.begin() + position, {dim, level});
}

void LayoutWriter::Split(int dim, std::vector<int64_t> factors) {
  const int position = PositionOf(dim);
  Replace(position, dim, static_cast<int>(factors.size()) + 1);
  layout_.primitives.push_back(layout::Split{position, std::move(factors)});
}

void LayoutWriter::Unfold(int dim, int64_t size, int64_t stride) {
  const int position = PositionOf(dim);
  Replace(position, dim, 2);
  layout_.primitives.push_back(layout::Unfold{position, size, stride});
}

layout::Layout LayoutWriter::Ordered(const std::vector<Part>& parts) {
  ALT_CHECK(parts.size() == parts_.size());
  if (parts == parts_) return std::move(layout_);
  layout::Reorder reorder;
  for (const Part& part : parts) {
    const auto at = std::find(parts_.begin(), parts_.end(), part);
    ALT_CHECK(at != parts_.end());
    reorder.perm.push_back(static_cast<int>(at - parts_.begin()));
  }
  layout_.primitives.push_back(std::move(reorder));
  return std::move(layout_);
}

}  // namespace alt::search
