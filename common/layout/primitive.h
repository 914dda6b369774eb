#ifndef COMMON_LAYOUT_PRIMITIVE_H_
#define COMMON_LAYOUT_PRIMITIVE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ir/expr.h"
#include "common/ir/interval.h"

namespace alt::layout {

// No number of a primitive is larger, so sums and products of two of them do not overflow.
inline constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();

// Layout primitives (docs/layout.md#primitives; ALT, arXiv 2210.12415). Each acts on the shape
// reached so far; dimensions count from 0. Text: split(1,16)  split(2,4,8)  reorder(0,2,1)
// fuse(1,2) unfold(2,6,4)  pad(3,0,16)  fold(2,6,4,56)  unpad(3,0,16); print and parse are inverse.
// Precondition, effect and inverse of each stand at the top of primitive/<name>.cc (docs/layout.md
// has them on one page).

// E -> ceil(E/(f1..fk)) x f1 x .. x fk. Inverse: fuse, then unpad of the tail.
struct Split {
  int dim = 0;
  std::vector<int64_t> factors;  // inner factors, outermost first, each >= 1
  friend bool operator==(const Split&, const Split&) = default;
};
// Dimension i of the result is dimension perm[i] of the argument.
struct Reorder {
  std::vector<int> perm;
  friend bool operator==(const Reorder&, const Reorder&) = default;
};
// Dimensions first..last (inclusive) become one, row-major.
struct Fuse {
  int first = 0;
  int last = 0;
  friend bool operator==(const Fuse&, const Fuse&) = default;
};
// E -> ceil((E-B)/S)+1 tiles x B elements; tile t starts at t*S. Expanding when B > S.
struct Unfold {
  int dim = 0;
  int64_t size = 1;    // B
  int64_t stride = 1;  // S
  friend bool operator==(const Unfold&, const Unfold&) = default;
};
// E -> before + E + after; the new cells hold no data.
struct Pad {
  int dim = 0;
  int64_t before = 0;
  int64_t after = 0;
  friend bool operator==(const Pad&, const Pad&) = default;
};
// Inverse of Unfold(dim, B, S) on extent E: dims (dim, dim+1) -> E.
struct Fold {
  int dim = 0;
  int64_t size = 1;
  int64_t stride = 1;
  int64_t extent = 1;
  friend bool operator==(const Fold&, const Fold&) = default;
};
// Inverse of Pad.
struct Unpad {
  int dim = 0;
  int64_t before = 0;
  int64_t after = 0;
  friend bool operator==(const Unpad&, const Unpad&) = default;
};

// The proto oneof lists the same alternatives in the same order.
using Primitive = std::variant<Split, Reorder, Fuse, Unfold, Pad, Fold, Unpad>;

using Shape = std::vector<int64_t>;
using Indices = std::vector<ir::Expr>;

// What a physical cell stands for: its logical indices, and whether it holds data (a bool
// expression; constant true where every cell does).
struct LogicalCell {
  Indices indices;
  ir::Expr holds_data;
};

// Shape after the primitive; InvalidArgument with the reason when it does not apply.
absl::StatusOr<Shape> ApplyToShape(const Primitive& p, const Shape& shape);
// Names of the dimensions after the primitive: split and unfold make a.0 a.1 .., fuse makes a_b.
std::vector<std::string> ApplyToNames(const Primitive& p, const std::vector<std::string>& names);
// Index before -> index after, for a plain access. shape is the shape before.
Indices ToPhysical(const Primitive& p, const Shape& shape, const Indices& indices);
// Index after -> index before. shape is the shape before.
LogicalCell ToLogical(const Primitive& p, const Shape& shape, const Indices& indices);
// The primitives that undo p on a tensor that had `shape` before it.
std::vector<Primitive> Inverse(const Primitive& p, const Shape& shape);
// True for unfold with B > S and pad: they copy or add cells and never propagate.
bool IsExpanding(const Primitive& p);
// True for split, reorder and fuse: what an external input may arrive in
// (docs/layout.md#what-is-timed).
bool IsBasic(const Primitive& p);

std::string Print(const Primitive& p);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_PRIMITIVE_H_
