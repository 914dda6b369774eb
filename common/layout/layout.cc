#include "common/layout/layout.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/ir/equality.h"
#include "common/ir/simplify.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

// Whether two lists of index expressions are equal for all values of their variables, as far as
// the simplifier sees.
bool Same(const LogicalCell& a, const LogicalCell& b, const ir::RangeMap& ranges) {
  auto same = [&](const ir::Expr& x, const ir::Expr& y) {
    return ir::StructurallyEqual(ir::Simplify(x, ranges), ir::Simplify(y, ranges));
  };
  for (size_t d = 0; d < a.indices.size(); ++d) {
    if (!same(a.indices[d], b.indices[d])) return false;
  }
  return same(a.holds_data, b.holds_data);
}

}  // namespace

absl::StatusOr<BoundLayout> BoundLayout::Create(Layout layout, Shape logical_shape) {
  for (int64_t extent : logical_shape) {
    if (extent >= 1 && extent <= kMaxNumber) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("extent ", extent, " of the logical shape is out of range"));
  }
  BoundLayout bound({}, {std::move(logical_shape)});
  for (Primitive& p : layout.primitives) {
    ALT_ASSIGN_OR_RETURN(Shape after, ApplyToShape(p, bound.physical_shape()));
    if (const auto* fold = std::get_if<Fold>(&p)) ALT_RETURN_IF_ERROR(bound.CheckFold(*fold));
    bound.layout_.primitives.push_back(std::move(p));
    bound.shapes_.push_back(std::move(after));
  }
  return bound;
}

// A fold of overlapping tiles merges element b + S of a tile and element b of the next one. They
// must be copies of one cell, as those are that an unfold made.
absl::Status BoundLayout::CheckFold(const Fold& fold) const {
  if (fold.size <= fold.stride || physical_shape()[fold.dim] == 1) return absl::OkStatus();
  ir::RangeMap ranges;
  Indices first;
  for (int64_t extent : physical_shape()) {
    const ir::Var var = ir::MakeVar("i");
    ranges[var.get()] = {0, extent - 1};
    first.push_back(var);
  }
  const ir::Expr tile = first[fold.dim], element = first[fold.dim + 1];
  ranges[tile->var.get()] = {0, physical_shape()[fold.dim] - 2};
  ranges[element->var.get()] = {0, fold.size - fold.stride - 1};
  Indices second = first;
  first[fold.dim + 1] = element + ir::Expr(fold.stride);
  second[fold.dim] = tile + ir::Expr(1);
  ALT_ASSIGN_OR_RETURN(const LogicalCell one, ToLogical(first, ranges));
  ALT_ASSIGN_OR_RETURN(const LogicalCell other, ToLogical(second, ranges));
  if (Same(one, other, ranges)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      Print(Primitive(fold)), ": dimensions ", fold.dim, " and ", fold.dim + 1,
      " are not the tiles and elements of an unfold by ", fold.size, " and ", fold.stride));
}

bool BoundLayout::has_expanding() const {
  for (const Primitive& p : layout_.primitives) {
    if (IsExpanding(p)) return true;
  }
  return false;
}

absl::StatusOr<std::vector<std::string>> BoundLayout::PhysicalNames(
    const std::vector<std::string>& names) const {
  constexpr size_t kMaxLength = 256;
  ALT_CHECK_EQ(names.size(), logical_shape().size());
  std::vector<std::string> result = names;
  for (const Primitive& p : layout_.primitives) {
    result = ApplyToNames(p, result);
    for (const std::string& name : result) {
      if (name.size() <= kMaxLength) continue;
      return absl::FailedPreconditionError(
          absl::StrCat(Print(p), ": the name of a dimension becomes too long, ", name.substr(0, 40),
                       "...: more than ", kMaxLength, " letters"));
    }
  }
  return result;
}

absl::StatusOr<LogicalCell> BoundLayout::ToLogical(const Indices& physical,
                                                   const ir::RangeMap& ranges) const {
  ALT_CHECK_EQ(physical.size(), physical_shape().size());
  LogicalCell cell = {physical, ir::BoolImm(true)};
  for (size_t i = layout_.primitives.size(); i-- > 0;) {
    const Primitive& p = layout_.primitives[i];
    LogicalCell before = layout::ToLogical(p, shapes_[i], cell.indices);
    cell.indices = std::move(before.indices);
    ALT_RETURN_IF_ERROR(
        base::Annotate(ir::LimitIndices(ranges, absl::MakeSpan(cell.indices)), Print(p)));
    if (ir::IsIntValue(before.holds_data, 1)) continue;
    cell.holds_data = ir::IsIntValue(cell.holds_data, 1)
                          ? before.holds_data
                          : ir::And(cell.holds_data, before.holds_data);
    ALT_RETURN_IF_ERROR(base::Annotate(ir::LimitIndices(ranges, {&cell.holds_data, 1}), Print(p)));
  }
  return cell;
}

}  // namespace alt::layout
