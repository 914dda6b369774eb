// split(d, f1..fk): blocks of one dimension become dimensions of their own.
//
// Precondition: 1 <= k, every factor >= 1. Any extent: a product that does not divide pads the
// tail. Effect, with P_j = f_{j+1} * .. * f_k and P_0 = f1 * .. * fk:
//   [.., E, ..]  -->  [.., ceil(E/P_0), f1, .., fk, ..]
//   index e      -->  floor(e/P_0), floor(e/P_1) mod f1, .., e mod fk
//   back: e = sum of index j times P_j; a cell holds data when e < E.
// Inverse: fuse(d, d+k), then unpad(d, 0, tail) when there is one.
#include "common/base/math.h"
#include "common/base/status_macros.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

int64_t Product(const std::vector<int64_t>& factors) {
  int64_t product = 1;
  for (int64_t f : factors) product *= f;
  return product;
}

}  // namespace

absl::StatusOr<Shape> ShapeAfter(const Split& p, const Shape& shape) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim, shape));
  if (p.factors.empty()) return Refuse("needs at least one factor");
  int64_t product = 1;
  for (int64_t f : p.factors) {
    if (f < 1) return Refuse(absl::StrCat("factor ", f, " is not positive"));
    if (f > kMaxNumber / product) return Refuse("factors are too large");
    product *= f;
  }
  std::vector<int64_t> parts = {base::CeilDiv(shape[p.dim], product)};
  parts.insert(parts.end(), p.factors.begin(), p.factors.end());
  return Splice(shape, p.dim, 1, std::move(parts));
}

Names NamesAfter(const Split& p, const Names& names) {
  Names parts;
  for (size_t i = 0; i <= p.factors.size(); ++i)
    parts.push_back(absl::StrCat(names[p.dim], ".", i));
  return Splice(names, p.dim, 1, std::move(parts));
}

Indices Forward(const Split& p, const Shape& /*shape*/, const Indices& before) {
  const ir::Expr& e = before[p.dim];
  int64_t place = Product(p.factors);
  Indices parts = {ir::DivBy(e, place)};
  for (int64_t f : p.factors) {
    place /= f;
    parts.push_back(f == 1 ? ir::Expr(0) : ir::ModBy(ir::DivBy(e, place), f));
  }
  return Splice(before, p.dim, 1, std::move(parts));
}

LogicalCell Backward(const Split& p, const Shape& shape, const Indices& after) {
  const int64_t product = Product(p.factors);
  int64_t place = product;
  ir::Expr e = ir::Times(after[p.dim], place);
  for (size_t i = 0; i < p.factors.size(); ++i) {
    place /= p.factors[i];
    if (p.factors[i] > 1) e = ir::Plus(e, ir::Times(after[p.dim + 1 + i], place));
  }
  const int64_t extent = shape[p.dim];
  const bool has_tail = extent % product != 0;
  return {Splice(after, p.dim, static_cast<int>(p.factors.size()) + 1, {e}),
          has_tail ? e < ir::Expr(extent) : ir::BoolImm(true)};
}

std::vector<Primitive> InverseOf(const Split& p, const Shape& shape) {
  const int last = p.dim + static_cast<int>(p.factors.size());
  std::vector<Primitive> inverse = {Fuse{p.dim, last}};
  const int64_t product = Product(p.factors);
  const int64_t tail = base::CeilDiv(shape[p.dim], product) * product - shape[p.dim];
  if (tail > 0) inverse.push_back(Unpad{p.dim, 0, tail});
  return inverse;
}

}  // namespace alt::layout
