// fuse(first, last): neighbouring dimensions become one, row-major.
//
// Precondition: first < last.
// Effect:
//   [.., E_first, .., E_last, ..]  -->  [.., E_first * .. * E_last, ..]
//   indices e_j                    -->  sum of e_j * (product of the extents after j)
//   back: e_j = floor(e / product after j) mod E_j; every cell holds data.
// Inverse: split(first, E_{first+1}, .., E_last).
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {

absl::StatusOr<Shape> ShapeAfter(const Fuse& p, const Shape& shape) {
  ALT_RETURN_IF_ERROR(CheckDim(p.first, shape));
  ALT_RETURN_IF_ERROR(CheckDim(p.last, shape));
  if (p.first >= p.last) return Refuse("the first dimension must come before the last one");
  int64_t extent = 1;
  for (int d = p.first; d <= p.last; ++d) extent *= shape[d];
  return Splice(shape, p.first, p.last - p.first + 1, {extent});
}

Names NamesAfter(const Fuse& p, const Names& names) {
  std::string name = absl::StrJoin(names.begin() + p.first, names.begin() + p.last + 1, "_");
  return Splice(names, p.first, p.last - p.first + 1, {std::move(name)});
}

Indices Forward(const Fuse& p, const Shape& shape, const Indices& before) {
  ir::Expr e = 0;
  int64_t place = 1;
  for (int d = p.last; d >= p.first; --d) {
    if (shape[d] > 1) e = ir::Plus(ir::Times(before[d], place), e);
    place *= shape[d];
  }
  return Splice(before, p.first, p.last - p.first + 1, {e});
}

LogicalCell Backward(const Fuse& p, const Shape& shape, const Indices& after) {
  const ir::Expr& e = after[p.first];
  Indices parts(p.last - p.first + 1);
  int64_t place = 1;
  for (int d = p.last; d >= p.first; --d) {
    ir::Expr part = ir::DivBy(e, place);
    // No modulus for the outermost: its quotient cannot exceed the extent.
    parts[d - p.first] = shape[d] == 1  ? ir::Expr(0)
                         : d == p.first ? part
                                        : ir::ModBy(part, shape[d]);
    place *= shape[d];
  }
  return {Splice(after, p.first, 1, std::move(parts)), ir::BoolImm(true)};
}

std::vector<Primitive> InverseOf(const Fuse& p, const Shape& shape) {
  return {Split{p.first, {shape.begin() + p.first + 1, shape.begin() + p.last + 1}}};
}

}  // namespace alt::layout
