#include "tests/common/layout/layout_testing.h"

#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/ir/interpreter.h"
#include "common/ir/printer.h"

namespace alt::layout {

Variables::Variables(const Shape& shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    vars_.push_back(ir::MakeVar(absl::StrCat("i", d)));
    indices_.push_back(vars_.back());
    ranges_[vars_.back().get()] = {0, shape[d] - 1};
  }
}

int64_t Variables::Value(const ir::Expr& e, const Point& point) const {
  ALT_CHECK_EQ(point.size(), vars_.size());
  absl::flat_hash_map<const ir::VarNode*, int64_t> values;
  for (size_t d = 0; d < point.size(); ++d) values[vars_[d].get()] = point[d];
  return ir::EvaluateIndex(e, values);
}

Point Variables::Values(const Indices& indices, const Point& point) const {
  Point result;
  for (const ir::Expr& e : indices) result.push_back(Value(e, point));
  return result;
}

void ForEachPoint(const Shape& shape, absl::FunctionRef<void(const Point&)> visit) {
  Point point(shape.size(), 0);
  while (true) {
    visit(point);
    size_t d = shape.size();
    while (d > 0 && ++point[d - 1] == shape[d - 1]) point[--d] = 0;
    if (d == 0) return;
  }
}

bool Inside(const Point& point, const Shape& shape) {
  if (point.size() != shape.size()) return false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (point[d] < 0 || point[d] >= shape[d]) return false;
  }
  return true;
}

int64_t NumCells(const Shape& shape) {
  int64_t cells = 1;
  for (int64_t extent : shape) cells *= extent;
  return cells;
}

int64_t OffsetOf(const Point& point, const Shape& shape) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + point[d];
  return offset;
}

Primitive RandomPrimitive(base::Random& random, const Shape& shape,
                          const RandomLayoutOptions& options) {
  const int rank = static_cast<int>(shape.size());
  const int dim = static_cast<int>(random.Uniform(rank));
  const int64_t extent = shape[dim];
  const uint64_t kind = random.Uniform(10);
  if (kind < 2 && rank > 1) {
    const int first = static_cast<int>(random.Uniform(rank - 1));
    return Fuse{first, static_cast<int>(random.UniformInt(first + 1, rank - 1))};
  }
  if (kind < 4) {
    std::vector<int> perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    random.Shuffle(perm);
    return Reorder{perm};
  }
  if (kind < 6 && options.unfold) {
    const int64_t stride = random.UniformInt(1, extent);
    return Unfold{dim, stride + random.UniformInt(0, 3), stride};
  }
  if (kind < 7 && options.pad) return Pad{dim, random.UniformInt(0, 2), random.UniformInt(0, 2)};
  Split split = {.dim = dim, .factors = {random.UniformInt(1, extent + 1)}};
  if (random.Bernoulli(0.3)) split.factors.push_back(random.UniformInt(1, 3));
  return split;
}

Layout RandomLayout(base::Random& random, const Shape& shape, const RandomLayoutOptions& options) {
  Layout layout;
  Shape reached = shape;
  const int64_t wanted = random.UniformInt(0, options.max_primitives);
  for (int64_t i = 0; i < wanted; ++i) {
    Primitive p = RandomPrimitive(random, reached, options);
    Shape after = *ApplyToShape(p, reached);
    if (after.size() > 9 || NumCells(after) > options.max_cells) continue;
    layout.primitives.push_back(p);
    if (options.inverses && random.Bernoulli(0.15)) {
      for (Primitive& inverse : Inverse(p, reached)) layout.primitives.push_back(inverse);
    } else {
      reached = std::move(after);
    }
  }
  return layout;
}

Shape RandomShape(base::Random& random, int max_rank, int64_t max_extent) {
  Shape shape;
  const int64_t rank = random.UniformInt(1, max_rank);
  for (int64_t d = 0; d < rank; ++d) shape.push_back(random.UniformInt(1, max_extent));
  return shape;
}

namespace {

// The point before a primitive that a point after it stands for; shape is the one before.
struct OracleBefore {
  const Shape& shape;
  const Point& after;

  Point operator()(const Split& p) const {
    Point before(after.begin(), after.begin() + p.dim);
    int64_t e = after[p.dim];
    for (size_t i = 0; i < p.factors.size(); ++i) e = e * p.factors[i] + after[p.dim + 1 + i];
    before.push_back(e);
    before.insert(before.end(), after.begin() + p.dim + 1 + p.factors.size(), after.end());
    return before;
  }
  Point operator()(const Reorder& p) const {
    Point before(after.size());
    for (size_t i = 0; i < after.size(); ++i) before[p.perm[i]] = after[i];
    return before;
  }
  Point operator()(const Fuse& p) const {
    Point before(shape.size());
    int64_t rest = after[p.first];
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
      if (d < p.first) before[d] = after[d];
      if (d > p.last) before[d] = after[d - (p.last - p.first)];
    }
    for (int d = p.last; d >= p.first; --d) {
      before[d] = rest % shape[d];
      rest /= shape[d];
    }
    return before;
  }
  Point operator()(const Unfold& p) const {
    Point before = after;
    before[p.dim] = after[p.dim] * p.stride + after[p.dim + 1];
    before.erase(before.begin() + p.dim + 1);
    return before;
  }
  Point operator()(const Pad& p) const { return Shifted(p.dim, -p.before); }
  Point operator()(const Unpad& p) const { return Shifted(p.dim, p.before); }
  // The first tile that has the element; any has the same.
  Point operator()(const Fold& p) const {
    for (int64_t t = 0; t < shape[p.dim]; ++t) {
      const int64_t b = after[p.dim] - t * p.stride;
      if (b < 0 || b >= p.size) continue;
      Point before = after;
      before[p.dim] = t;
      before.insert(before.begin() + p.dim + 1, b);
      return before;
    }
    return {};  // between two tiles: inside no shape
  }
  Point Shifted(int dim, int64_t by) const {
    Point before = after;
    before[dim] += by;
    return before;
  }
};

}  // namespace

std::vector<int64_t> OracleCells(const BoundLayout& bound) {
  std::vector<int64_t> cells(NumCells(bound.logical_shape()));
  std::iota(cells.begin(), cells.end(), 0);
  for (size_t i = 0; i < bound.layout().primitives.size(); ++i) {
    const Shape& shape = bound.shapes()[i];
    std::vector<int64_t> next;
    ForEachPoint(bound.shapes()[i + 1], [&](const Point& after) {
      const Point before = std::visit(OracleBefore{shape, after}, bound.layout().primitives[i]);
      next.push_back(Inside(before, shape) ? cells[OffsetOf(before, shape)] : -1);
    });
    cells = std::move(next);
  }
  return cells;
}

Layout ParseOrDie(absl::string_view text) {
  absl::StatusOr<Layout> layout = Parse(text);
  ALT_CHECK_OK(layout);
  return *std::move(layout);
}

BoundLayout BindOrDie(absl::string_view text, const Shape& shape) {
  absl::StatusOr<BoundLayout> bound = BoundLayout::Create(ParseOrDie(text), shape);
  ALT_CHECK_OK(bound);
  return *std::move(bound);
}

Indices ToPhysical(const BoundLayout& bound, const Variables& logical) {
  Indices indices = logical.indices();
  for (size_t i = 0; i < bound.layout().primitives.size(); ++i) {
    indices = ToPhysical(bound.layout().primitives[i], bound.shapes()[i], indices);
  }
  return indices;
}

LogicalCell ToLogical(const BoundLayout& bound, const Variables& physical) {
  absl::StatusOr<LogicalCell> cell = bound.ToLogical(physical.indices(), physical.ranges());
  ALT_CHECK_OK(cell);
  return *std::move(cell);
}

std::vector<std::string> PrintAll(const Indices& indices) {
  std::vector<std::string> texts;
  for (const ir::Expr& e : indices) texts.push_back(ir::Print(e));
  return texts;
}

}  // namespace alt::layout
