// unfold(d, B, S): one dimension becomes tiles of B elements that start S apart.
//
// Precondition: B >= 1, S >= 1.
// Effect, with T = max(1, ceil((E-B)/S) + 1):
//   [.., E, ..]  -->  [.., T, B, ..]
//   index e      -->  t = min(floor(e/S), T-1), b = e - t*S
//   back: e = t*S + b; a cell holds data when e < E.
// Tiles overlap when B > S: a cell then has several copies, all of which hold data. A plain access
// reads the copy above: without the minimum the last tile would overflow when B > S. A sliding
// access chooses by its window instead (access_rewrite.cc). When B < S, cells between the tiles are
// dropped; access_rewrite.cc refuses to read them.
// Inverse: fold(d, B, S, E).
//
// fold(d, B, S, E): tiles become one dimension again.
//
// Precondition: dimension d+1 has extent B, dimension d the number of tiles for E. When B > S the
// copies of a cell must agree, as those do that an unfold by B and S made (layout.cc checks).
// Effect:
//   [.., T, B, ..]  -->  [.., E, ..]
//   indices t, b    -->  t*S + b
//   back: t = min(floor(e/S), T-1), b = e - t*S; a cell holds data when b < B.
// Inverse: unfold(d, B, S).
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "common/base/math.h"
#include "common/base/status_macros.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

absl::Status CheckTile(int64_t size, int64_t stride) {
  if (size < 1) return Refuse(absl::StrCat("tile size ", size, " is not positive"));
  if (stride < 1) return Refuse(absl::StrCat("stride ", stride, " is not positive"));
  if (size > kMaxNumber) return Refuse(absl::StrCat("tile size ", size, " is too large"));
  if (stride > kMaxNumber) return Refuse(absl::StrCat("stride ", stride, " is too large"));
  return absl::OkStatus();
}

// {t, b} of element e of an extent.
Indices TileAndElement(const ir::Expr& e, int64_t extent, int64_t size, int64_t stride) {
  const int64_t tiles = NumTiles(extent, size, stride);
  if (tiles == 1) return {ir::Expr(0), e};
  ir::Expr t = ir::DivBy(e, stride);
  // e < extent, so the quotient often cannot reach the number of tiles.
  if ((extent - 1) / stride > tiles - 1) t = ir::Min(t, tiles - 1);
  return {t, e - ir::Times(t, stride)};
}

}  // namespace

int64_t NumTiles(int64_t extent, int64_t size, int64_t stride) {
  return extent <= size ? 1 : base::CeilDiv(extent - size, stride) + 1;
}

absl::StatusOr<Shape> ShapeAfter(const Unfold& p, const Shape& shape) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim, shape));
  ALT_RETURN_IF_ERROR(CheckTile(p.size, p.stride));
  return Splice(shape, p.dim, 1, {NumTiles(shape[p.dim], p.size, p.stride), p.size});
}

absl::StatusOr<Shape> ShapeAfter(const Fold& p, const Shape& shape) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim, shape));
  ALT_RETURN_IF_ERROR(CheckDim(p.dim + 1, shape));
  ALT_RETURN_IF_ERROR(CheckTile(p.size, p.stride));
  if (p.extent < 1) return Refuse(absl::StrCat("extent ", p.extent, " is not positive"));
  if (shape[p.dim + 1] != p.size) {
    return Refuse(absl::StrCat("dimension ", p.dim + 1, " has extent ", shape[p.dim + 1]));
  }
  const int64_t tiles = NumTiles(p.extent, p.size, p.stride);
  if (shape[p.dim] != tiles) {
    return Refuse(absl::StrCat("dimension ", p.dim, " has extent ", shape[p.dim], ", extent ",
                               p.extent, " needs ", tiles, " tiles"));
  }
  return Splice(shape, p.dim, 2, {p.extent});
}

Names NamesAfter(const Unfold& p, const Names& names) {
  const std::string& name = names[p.dim];
  return Splice(names, p.dim, 1, {absl::StrCat(name, ".0"), absl::StrCat(name, ".1")});
}

// h.0 h.1 become h again; names that no unfold made are joined.
Names NamesAfter(const Fold& p, const Names& names) {
  absl::string_view tile = names[p.dim];
  absl::string_view element = names[p.dim + 1];
  std::string name;
  if (absl::ConsumeSuffix(&tile, ".0") && absl::ConsumeSuffix(&element, ".1") && tile == element) {
    name = std::string(tile);
  } else {
    name = absl::StrCat(names[p.dim], "_", names[p.dim + 1]);
  }
  return Splice(names, p.dim, 2, {std::move(name)});
}

Indices Forward(const Unfold& p, const Shape& shape, const Indices& before) {
  return Splice(before, p.dim, 1, TileAndElement(before[p.dim], shape[p.dim], p.size, p.stride));
}

Indices Forward(const Fold& p, const Shape& /*shape*/, const Indices& before) {
  return Splice(before, p.dim, 2,
                {ir::Plus(ir::Times(before[p.dim], p.stride), before[p.dim + 1])});
}

LogicalCell Backward(const Unfold& p, const Shape& shape, const Indices& after) {
  const int64_t extent = shape[p.dim];
  ir::Expr e = ir::Plus(ir::Times(after[p.dim], p.stride), after[p.dim + 1]);
  const int64_t covered = (NumTiles(extent, p.size, p.stride) - 1) * p.stride + p.size;
  return {Splice(after, p.dim, 2, {e}),
          covered > extent ? e < ir::Expr(extent) : ir::BoolImm(true)};
}

LogicalCell Backward(const Fold& p, const Shape& /*shape*/, const Indices& after) {
  Indices parts = TileAndElement(after[p.dim], p.extent, p.size, p.stride);
  ir::Expr holds = p.stride > p.size ? parts[1] < ir::Expr(p.size) : ir::BoolImm(true);
  return {Splice(after, p.dim, 1, std::move(parts)), holds};
}

std::vector<Primitive> InverseOf(const Unfold& p, const Shape& shape) {
  return {Fold{p.dim, p.size, p.stride, shape[p.dim]}};
}

std::vector<Primitive> InverseOf(const Fold& p, const Shape& /*shape*/) {
  return {Unfold{p.dim, p.size, p.stride}};
}

}  // namespace alt::layout
