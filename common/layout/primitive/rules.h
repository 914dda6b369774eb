// What each primitive's file defines; primitive.cc dispatches to it. One overload a primitive and
// question, so that a primitive without an answer does not compile.
#ifndef COMMON_LAYOUT_PRIMITIVE_RULES_H_
#define COMMON_LAYOUT_PRIMITIVE_RULES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/ir/index_math.h"
#include "common/layout/primitive.h"

namespace alt::layout {

using Names = std::vector<std::string>;

// Of these: the reason alone, without the primitive's text (primitive.cc puts that in front).
absl::StatusOr<Shape> ShapeAfter(const Split& p, const Shape& shape);
absl::StatusOr<Shape> ShapeAfter(const Reorder& p, const Shape& shape);
absl::StatusOr<Shape> ShapeAfter(const Fuse& p, const Shape& shape);
absl::StatusOr<Shape> ShapeAfter(const Unfold& p, const Shape& shape);
absl::StatusOr<Shape> ShapeAfter(const Pad& p, const Shape& shape);
absl::StatusOr<Shape> ShapeAfter(const Fold& p, const Shape& shape);
absl::StatusOr<Shape> ShapeAfter(const Unpad& p, const Shape& shape);

Names NamesAfter(const Split& p, const Names& names);
Names NamesAfter(const Reorder& p, const Names& names);
Names NamesAfter(const Fuse& p, const Names& names);
Names NamesAfter(const Unfold& p, const Names& names);
Names NamesAfter(const Pad& p, const Names& names);
Names NamesAfter(const Fold& p, const Names& names);
Names NamesAfter(const Unpad& p, const Names& names);

Indices Forward(const Split& p, const Shape& shape, const Indices& before);
Indices Forward(const Reorder& p, const Shape& shape, const Indices& before);
Indices Forward(const Fuse& p, const Shape& shape, const Indices& before);
Indices Forward(const Unfold& p, const Shape& shape, const Indices& before);
Indices Forward(const Pad& p, const Shape& shape, const Indices& before);
Indices Forward(const Fold& p, const Shape& shape, const Indices& before);
Indices Forward(const Unpad& p, const Shape& shape, const Indices& before);

LogicalCell Backward(const Split& p, const Shape& shape, const Indices& after);
LogicalCell Backward(const Reorder& p, const Shape& shape, const Indices& after);
LogicalCell Backward(const Fuse& p, const Shape& shape, const Indices& after);
LogicalCell Backward(const Unfold& p, const Shape& shape, const Indices& after);
LogicalCell Backward(const Pad& p, const Shape& shape, const Indices& after);
LogicalCell Backward(const Fold& p, const Shape& shape, const Indices& after);
LogicalCell Backward(const Unpad& p, const Shape& shape, const Indices& after);

std::vector<Primitive> InverseOf(const Split& p, const Shape& shape);
std::vector<Primitive> InverseOf(const Reorder& p, const Shape& shape);
std::vector<Primitive> InverseOf(const Fuse& p, const Shape& shape);
std::vector<Primitive> InverseOf(const Unfold& p, const Shape& shape);
std::vector<Primitive> InverseOf(const Pad& p, const Shape& shape);
std::vector<Primitive> InverseOf(const Fold& p, const Shape& shape);
std::vector<Primitive> InverseOf(const Unpad& p, const Shape& shape);

// Tiles of an unfold: as many as cover the extent, at least one.
int64_t NumTiles(int64_t extent, int64_t size, int64_t stride);

inline absl::Status Refuse(absl::string_view reason) { return absl::InvalidArgumentError(reason); }

inline absl::Status CheckDim(int dim, const Shape& shape) {
  if (dim >= 0 && dim < static_cast<int>(shape.size())) return absl::OkStatus();
  return Refuse(absl::StrCat("there is no dimension ", dim));
}

// `list` with `count` elements from `at` on replaced.
template <typename T>
std::vector<T> Splice(const std::vector<T>& list, int at, int count, std::vector<T> replacement) {
  std::vector<T> result(list.begin(), list.begin() + at);
  for (T& element : replacement) result.push_back(std::move(element));
  result.insert(result.end(), list.begin() + at + count, list.end());
  return result;
}

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_PRIMITIVE_RULES_H_
