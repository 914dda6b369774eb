#include "common/layout/pack_tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "common/base/check.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

constexpr int64_t kNoData = -1;

void Serially(int64_t n, absl::FunctionRef<void(int64_t begin, int64_t end)> body) { body(0, n); }

// Row-major strides.
std::vector<int64_t> DenseStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

int64_t NumCells(const Shape& shape) {
  int64_t cells = 1;
  for (int64_t extent : shape) cells *= extent;
  return cells;
}

// Memory of `cells` floats, not initialized. On huge pages where it is large: a page fault in a
// virtual machine takes microseconds, and this memory is used once.
std::shared_ptr<float[]> Allocate(int64_t cells) {
  constexpr size_t kHugePage = size_t{2} << 20;
  const size_t bytes = static_cast<size_t>(cells) * sizeof(float);
  if (bytes < kHugePage) return std::shared_ptr<float[]>(new float[static_cast<size_t>(cells)]);
  const size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const memory = aligned_alloc(kHugePage, rounded);
  ALT_CHECK(memory != nullptr) << "no memory for " << bytes << " bytes";
  madvise(memory, rounded, MADV_HUGEPAGE);
  return std::shared_ptr<float[]>(static_cast<float*>(memory), [](float* p) { free(p); });
}

// A tensor as strides over memory. Most primitives only change the strides (split, reorder,
// unfold); those that make cells without data copy.
struct View {
  const float* data;
  Shape shape;
  std::vector<int64_t> strides;
  std::shared_ptr<float[]> storage;  // what data points into, unless it is the caller's
};

// One dimension of a copy: index i lies at `offsets[i]`, or at i * stride where there is no table,
// and goes to i * to_stride.
struct CopyDim {
  int64_t extent;
  int64_t stride;
  const std::vector<int64_t>* offsets = nullptr;
  int64_t to_stride = 0;
  int64_t OffsetOf(int64_t i) const { return offsets == nullptr ? i * stride : (*offsets)[i]; }
};

// Copies the cells of dims[dim..]; what holds no data is zero already.
void CopyCells(absl::Span<const CopyDim> dims, const float* from, float* to) {
  if (dims.empty()) {
    *to = *from;
    return;
  }
  const CopyDim& d = dims.front();
  const bool innermost = dims.size() == 1;
  if (innermost && d.offsets == nullptr) {
    if (d.stride == 1 && d.to_stride == 1) {
      memcpy(to, from, static_cast<size_t>(d.extent) * sizeof(float));
    } else {
      for (int64_t i = 0; i < d.extent; ++i) to[i * d.to_stride] = from[i * d.stride];
    }
    return;
  }
  for (int64_t i = 0; i < d.extent; ++i) {
    const int64_t offset = d.OffsetOf(i);
    if (offset != kNoData) CopyCells(dims.subspan(1), from + offset, to + i * d.to_stride);
  }
}

// Dense strides for the destination; neighbours that lie as one are copied as one.
std::vector<CopyDim> Coalesce(const std::vector<CopyDim>& dims) {
  std::vector<CopyDim> merged;
  for (const CopyDim& dim : dims) {
    if (dim.extent == 1 && dim.offsets == nullptr) continue;
    if (!merged.empty() && merged.back().offsets == nullptr && dim.offsets == nullptr &&
        merged.back().stride == dim.stride * dim.extent) {
      merged.back() = {merged.back().extent * dim.extent, dim.stride};
    } else {
      merged.push_back(dim);
    }
  }
  int64_t stride = 1;
  for (auto dim = merged.rbegin(); dim != merged.rend(); ++dim) {
    dim->to_stride = stride;
    stride *= dim->extent;
  }
  return merged;
}

// How far apart neighbours along a dimension lie.
int64_t StepOf(const CopyDim& dim) {
  if (dim.offsets == nullptr) return dim.stride;
  return *std::max_element(dim.offsets->begin(), dim.offsets->end()) / dim.extent;
}

// Writes whole lines: the innermost dimension of the destination stays so, a line's worth of it.
// The others go in the order of the source, whose lines are then used up before they leave the
// cache: a filter of 512 x 512 x 3 x 3 takes a quarter of the time.
std::vector<CopyDim> OrderForCaches(std::vector<CopyDim> dims) {
  constexpr int64_t kLine = 16;
  if (dims.size() < 3) return dims;
  CopyDim& inner = dims.back();
  if (inner.offsets == nullptr && inner.stride != 1 && inner.extent > kLine &&
      inner.extent % kLine == 0) {
    const CopyDim lines{inner.extent / kLine, inner.stride * kLine, nullptr, kLine};
    inner.extent = kLine;
    dims.insert(dims.begin(), lines);
  }
  std::stable_sort(dims.begin(), dims.end() - 1,
                   [](const CopyDim& a, const CopyDim& b) { return StepOf(a) > StepOf(b); });
  return dims;
}

void CopyTo(float* to, const View& view, const std::vector<CopyDim>& unordered, ForRanges ranges) {
  const std::vector<CopyDim> dims = OrderForCaches(Coalesce(unordered));
  if (dims.size() < 2) return CopyCells(dims, view.data, to);
  // Two dimensions are shared out, for the outer one alone may be short.
  const CopyDim &outer = dims[0], &next = dims[1];
  const absl::Span<const CopyDim> rest = absl::MakeSpan(dims).subspan(2);
  ranges(outer.extent * next.extent, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t o = i / next.extent, n = i % next.extent;
      const int64_t from = outer.OffsetOf(o), more = next.OffsetOf(n);
      if (from == kNoData || more == kNoData) continue;
      CopyCells(rest, view.data + from + more, to + o * outer.to_stride + n * next.to_stride);
    }
  });
}

// A dense tensor of this shape, whose dimensions are `dims`.
View Materialize(const View& view, const std::vector<CopyDim>& dims, Shape shape) {
  View dense{nullptr, std::move(shape), {}, nullptr};
  dense.strides = DenseStrides(dense.shape);
  const int64_t cells = NumCells(dense.shape);
  dense.storage = Allocate(cells);
  std::fill_n(dense.storage.get(), cells, 0.0F);
  CopyTo(dense.storage.get(), view, dims, Serially);
  dense.data = dense.storage.get();
  return dense;
}

std::vector<CopyDim> DimsOf(const View& view) {
  std::vector<CopyDim> dims;
  for (size_t i = 0; i < view.shape.size(); ++i) dims.push_back({view.shape[i], view.strides[i]});
  return dims;
}

// A dense copy in which `count` dimensions from `dim` on have become one, whose indices lie at
// `offsets` (kNoData: zeros).
View Gather(const View& view, int dim, int count, const std::vector<int64_t>& offsets) {
  const auto extent = static_cast<int64_t>(offsets.size());
  const std::vector<CopyDim> dims = Splice(DimsOf(view), dim, count, {{extent, 0, &offsets}});
  return Materialize(view, dims, Splice(view.shape, dim, count, {extent}));
}

// The dimension shifted by `before` cells without data and cut or filled up to `extent`.
View Shift(const View& view, int dim, int64_t before, int64_t extent) {
  std::vector<int64_t> offsets(static_cast<size_t>(extent), kNoData);
  for (int64_t i = 0; i < view.shape[dim]; ++i) {
    const int64_t to = i + before;
    if (to >= 0 && to < extent) offsets[static_cast<size_t>(to)] = i * view.strides[dim];
  }
  return Gather(view, dim, 1, offsets);
}

View Apply(const Split& p, View view) {
  const Shape shape = *ShapeAfter(p, view.shape);
  int64_t inner = 1;
  for (int64_t factor : p.factors) inner *= factor;
  const int64_t outer = shape[p.dim];
  if (outer * inner != view.shape[p.dim]) view = Shift(view, p.dim, 0, outer * inner);
  std::vector<int64_t> strides;
  int64_t below = inner;
  for (size_t i = 0; i <= p.factors.size(); ++i) {
    strides.push_back(below * view.strides[p.dim]);
    if (i < p.factors.size()) below /= p.factors[i];
  }
  view.strides = Splice(view.strides, p.dim, 1, strides);
  view.shape = shape;
  return view;
}

View Apply(const Reorder& p, View view) {
  View result = view;
  for (size_t i = 0; i < p.perm.size(); ++i) {
    result.shape[i] = view.shape[p.perm[i]];
    result.strides[i] = view.strides[p.perm[i]];
  }
  return result;
}

View Apply(const Fuse& p, View view) {
  bool as_one = true;
  for (int i = p.first; i < p.last; ++i) {
    as_one = as_one && view.strides[i] == view.strides[i + 1] * view.shape[i + 1];
  }
  if (!as_one) view = Materialize(view, DimsOf(view), view.shape);
  const int64_t stride = view.strides[p.last];
  view.strides = Splice(view.strides, p.first, p.last - p.first + 1, {stride});
  view.shape = *ShapeAfter(p, view.shape);
  return view;
}

View Apply(const Unfold& p, View view) {
  const int64_t tiles = NumTiles(view.shape[p.dim], p.size, p.stride);
  const int64_t covered = (tiles - 1) * p.stride + p.size;
  if (covered > view.shape[p.dim]) view = Shift(view, p.dim, 0, covered);
  const int64_t stride = view.strides[p.dim];
  view.strides = Splice(view.strides, p.dim, 1, {stride * p.stride, stride});
  view.shape = Splice(view.shape, p.dim, 1, {tiles, p.size});
  return view;
}

View Apply(const Pad& p, View view) {
  return Shift(view, p.dim, p.before, p.before + view.shape[p.dim] + p.after);
}

View Apply(const Fold& p, View view) {
  const int64_t tiles = view.shape[p.dim];
  std::vector<int64_t> offsets;
  for (int64_t e = 0; e < p.extent; ++e) {
    const int64_t tile = std::min(e / p.stride, tiles - 1);
    const int64_t element = e - tile * p.stride;
    offsets.push_back(element < p.size
                          ? tile * view.strides[p.dim] + element * view.strides[p.dim + 1]
                          : kNoData);
  }
  return Gather(view, p.dim, 2, offsets);
}

View Apply(const Unpad& p, View view) {
  view.data += p.before * view.strides[p.dim];
  view.shape[p.dim] -= p.before + p.after;
  return view;
}

// Writes every cell of `to`.
void Transform(const std::vector<Primitive>& primitives, const Shape& shape,
               absl::Span<const float> cells, absl::Span<float> to, ForRanges ranges) {
  ALT_CHECK_EQ(static_cast<int64_t>(cells.size()), NumCells(shape));
  View view{cells.data(), shape, DenseStrides(shape), nullptr};
  for (const Primitive& primitive : primitives) {
    view = std::visit([&](const auto& p) { return Apply(p, std::move(view)); }, primitive);
  }
  ALT_CHECK_EQ(static_cast<int64_t>(to.size()), NumCells(view.shape));
  CopyTo(to.data(), view, DimsOf(view), ranges);
}

}  // namespace

void PackTensor(const BoundLayout& layout, absl::Span<const float> logical,
                absl::Span<float> physical, ForRanges ranges) {
  Transform(layout.layout().primitives, layout.logical_shape(), logical, physical, ranges);
}

void PackTensor(const BoundLayout& layout, absl::Span<const float> logical,
                absl::Span<float> physical) {
  PackTensor(layout, logical, physical, Serially);
}

void UnpackTensor(const BoundLayout& layout, absl::Span<const float> physical,
                  absl::Span<float> logical) {
  std::vector<Primitive> inverse;
  const std::vector<Primitive>& primitives = layout.layout().primitives;
  for (size_t i = primitives.size(); i-- > 0;) {
    for (Primitive& p : Inverse(primitives[i], layout.shapes()[i])) inverse.push_back(std::move(p));
  }
  Transform(inverse, layout.physical_shape(), physical, logical, Serially);
}

}  // namespace alt::layout
