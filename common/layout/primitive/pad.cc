// pad(d, before, after): adds cells without data at both ends of a dimension.
//
// Precondition: before >= 0, after >= 0.
// Effect:
//   [.., E, ..]  -->  [.., before + E + after, ..]
//   index e      -->  e + before
//   back: e - before; a cell holds data when 0 <= e - before < E.
// Inverse: unpad(d, before, after).
//
// unpad(d, before, after): removes cells at both ends of a dimension.
//
// Precondition: before >= 0, after >= 0, at least one cell stays. Cells that hold data may go only
// when no reader wants them (cropping); access_rewrite.cc refuses reads that may leave the rest.
// Effect:
//   [.., E, ..]  -->  [.., E - before - after, ..]
//   index e      -->  e - before
//   back: e + before; every cell holds data.
// Inverse: pad(d, before, after).
#include "common/base/status_macros.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

absl::Status CheckCells(int64_t before, int64_t after) {
  for (int64_t cells : {before, after}) {
    if (cells < 0) return Refuse(absl::StrCat(cells, " cells: a number cannot be negative"));
    if (cells > kMaxNumber) return Refuse(absl::StrCat(cells, " cells are too many"));
  }
  return absl::OkStatus();
}

Indices Shift(const Indices& indices, int dim, int64_t by) {
  Indices result = indices;
  if (by != 0) result[dim] = result[dim] + ir::Expr(by);
  return result;
}

}  // namespace

absl::StatusOr<Shape> ShapeAfter(const Pad& p, const Shape& shape) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim, shape));
  ALT_RETURN_IF_ERROR(CheckCells(p.before, p.after));
  return Splice(shape, p.dim, 1, {p.before + shape[p.dim] + p.after});
}

absl::StatusOr<Shape> ShapeAfter(const Unpad& p, const Shape& shape) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim, shape));
  ALT_RETURN_IF_ERROR(CheckCells(p.before, p.after));
  const int64_t rest = shape[p.dim] - p.before - p.after;
  if (rest < 1) {
    return Refuse(absl::StrCat("nothing would be left of extent ", shape[p.dim]));
  }
  return Splice(shape, p.dim, 1, {rest});
}

Names NamesAfter(const Pad& /*p*/, const Names& names) { return names; }
Names NamesAfter(const Unpad& /*p*/, const Names& names) { return names; }

Indices Forward(const Pad& p, const Shape& /*shape*/, const Indices& before) {
  return Shift(before, p.dim, p.before);
}

Indices Forward(const Unpad& p, const Shape& /*shape*/, const Indices& before) {
  return Shift(before, p.dim, -p.before);
}

LogicalCell Backward(const Pad& p, const Shape& shape, const Indices& after) {
  const ir::Expr& e = after[p.dim];
  ir::Expr holds = ir::BoolImm(true);
  if (p.before > 0) holds = ir::Expr(p.before) <= e;
  if (p.after > 0) {
    ir::Expr below_end = e < ir::Expr(p.before + shape[p.dim]);
    holds = p.before > 0 ? ir::And(holds, below_end) : below_end;
  }
  return {Shift(after, p.dim, -p.before), holds};
}

LogicalCell Backward(const Unpad& p, const Shape& /*shape*/, const Indices& after) {
  return {Shift(after, p.dim, p.before), ir::BoolImm(true)};
}

std::vector<Primitive> InverseOf(const Pad& p, const Shape& /*shape*/) {
  return {Unpad{p.dim, p.before, p.after}};
}

std::vector<Primitive> InverseOf(const Unpad& p, const Shape& /*shape*/) {
  return {Pad{p.dim, p.before, p.after}};
}

}  // namespace alt::layout
