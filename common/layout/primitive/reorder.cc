// reorder(p): permutes dimensions.
//
// Precondition: p is a permutation of all dimensions.
// Effect: dimension i of the result is dimension p[i] of the argument; so is its index.
//   [E0, E1, E2] under reorder(2,0,1)  -->  [E2, E0, E1]
// Inverse: reorder by the inverse permutation.
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

template <typename T>
std::vector<T> Permute(const std::vector<int>& perm, const std::vector<T>& list) {
  std::vector<T> result;
  result.reserve(perm.size());
  for (int from : perm) result.push_back(list[from]);
  return result;
}

std::vector<int> InversePermutation(const std::vector<int>& perm) {
  std::vector<int> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) inverse[perm[i]] = static_cast<int>(i);
  return inverse;
}

}  // namespace

absl::StatusOr<Shape> ShapeAfter(const Reorder& p, const Shape& shape) {
  const int rank = static_cast<int>(shape.size());
  const auto refuse = [rank](const auto&... why) {
    return Refuse(absl::StrCat("not a permutation of 0..", rank - 1, ": ", why...));
  };
  std::vector<bool> seen(shape.size(), false);
  for (int from : p.perm) {
    if (from < 0 || from >= rank) return refuse("there is no ", from);
    if (seen[from]) return refuse(from, " is twice");
    seen[from] = true;
  }
  for (int i = 0; i < rank; ++i) {
    if (!seen[i]) return refuse(i, " is missing");
  }
  return Permute(p.perm, shape);
}

Names NamesAfter(const Reorder& p, const Names& names) { return Permute(p.perm, names); }

Indices Forward(const Reorder& p, const Shape& /*shape*/, const Indices& before) {
  return Permute(p.perm, before);
}

LogicalCell Backward(const Reorder& p, const Shape& /*shape*/, const Indices& after) {
  return {Permute(InversePermutation(p.perm), after), ir::BoolImm(true)};
}

std::vector<Primitive> InverseOf(const Reorder& p, const Shape& /*shape*/) {
  return {Reorder{InversePermutation(p.perm)}};
}

}  // namespace alt::layout
