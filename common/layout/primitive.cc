#include "common/layout/primitive.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/limits.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

// 2^40 elements: far above what is worth tuning, far below overflow.
constexpr int64_t kMaxElements = int64_t{1} << 40;

absl::Status CheckSize(const Shape& shape) {
  if (shape.size() > ir::kMaxRank) {
    return Refuse(absl::StrCat("the physical shape has ", shape.size(), " dimensions, the most is ",
                               ir::kMaxRank));
  }
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent > kMaxElements / elements) return Refuse("the physical shape is too large");
    elements *= extent;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> ApplyToShape(const Primitive& p, const Shape& shape) {
  absl::StatusOr<Shape> after =
      std::visit([&](const auto& primitive) { return ShapeAfter(primitive, shape); }, p);
  absl::Status status = after.ok() ? CheckSize(*after) : after.status();
  if (status.ok()) return after;
  return absl::InvalidArgumentError(absl::StrCat(Print(p), ": ", status.message(), ", on shape [",
                                                 absl::StrJoin(shape, ", "), "]"));
}

std::vector<std::string> ApplyToNames(const Primitive& p, const std::vector<std::string>& names) {
  return std::visit([&](const auto& primitive) { return NamesAfter(primitive, names); }, p);
}

Indices ToPhysical(const Primitive& p, const Shape& shape, const Indices& indices) {
  return std::visit([&](const auto& primitive) { return Forward(primitive, shape, indices); }, p);
}

LogicalCell ToLogical(const Primitive& p, const Shape& shape, const Indices& indices) {
  return std::visit([&](const auto& primitive) { return Backward(primitive, shape, indices); }, p);
}

std::vector<Primitive> Inverse(const Primitive& p, const Shape& shape) {
  return std::visit([&](const auto& primitive) { return InverseOf(primitive, shape); }, p);
}

bool IsExpanding(const Primitive& p) {
  if (const auto* unfold = std::get_if<Unfold>(&p)) return unfold->size > unfold->stride;
  return std::holds_alternative<Pad>(p);
}

bool IsBasic(const Primitive& p) {
  return std::holds_alternative<Split>(p) || std::holds_alternative<Reorder>(p) ||
         std::holds_alternative<Fuse>(p);
}

}  // namespace alt::layout
