// What the tests of layouts share: variables and their values, walks over all cells of a shape, and
// random layouts.
#ifndef TESTS_COMMON_LAYOUT_LAYOUT_TESTING_H_
#define TESTS_COMMON_LAYOUT_LAYOUT_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "common/base/random.h"
#include "common/ir/interval.h"
#include "common/layout/layout.h"

namespace alt::layout {

using Point = std::vector<int64_t>;

// One variable for each dimension of a shape: i0, i1, ...
class Variables {
 public:
  explicit Variables(const Shape& shape);

  const Indices& indices() const { return indices_; }
  const ir::RangeMap& ranges() const { return ranges_; }
  // The value of an index or bool expression at a point.
  int64_t Value(const ir::Expr& e, const Point& point) const;
  Point Values(const Indices& indices, const Point& point) const;

 private:
  std::vector<ir::Var> vars_;
  Indices indices_;
  ir::RangeMap ranges_;
};

// Every point of a shape in row-major order.
void ForEachPoint(const Shape& shape, absl::FunctionRef<void(const Point&)> visit);
bool Inside(const Point& point, const Shape& shape);
int64_t NumCells(const Shape& shape);
// Row-major offset.
int64_t OffsetOf(const Point& point, const Shape& shape);

// What a random layout may consist of.
struct RandomLayoutOptions {
  int max_primitives = 4;
  bool unfold = true;  // B >= S
  bool pad = true;
  bool inverses = true;  // sometimes undo a primitive at once (fold, unpad)
  int64_t max_cells = 3000;
};
// One primitive that applies to a shape.
Primitive RandomPrimitive(base::Random& random, const Shape& shape,
                          const RandomLayoutOptions& options);
Layout RandomLayout(base::Random& random, const Shape& shape, const RandomLayoutOptions& options);
Shape RandomShape(base::Random& random, int max_rank, int64_t max_extent);

// An oracle that shares no code with the library: for each physical cell (row-major) the row-major
// offset of the logical cell that it stands for, -1 for a cell without data.
std::vector<int64_t> OracleCells(const BoundLayout& bound);

// For tests: a text that must parse.
Layout ParseOrDie(absl::string_view text);
BoundLayout BindOrDie(absl::string_view text, const Shape& shape);

// Physical indices of the logical cell at the variables, by a plain access.
Indices ToPhysical(const BoundLayout& bound, const Variables& logical);
// What the physical cell at the variables stands for.
LogicalCell ToLogical(const BoundLayout& bound, const Variables& physical);

// Texts of expressions, for tests of what the rewriting looks like.
std::vector<std::string> PrintAll(const Indices& indices);

}  // namespace alt::layout

#endif  // TESTS_COMMON_LAYOUT_LAYOUT_TESTING_H_
