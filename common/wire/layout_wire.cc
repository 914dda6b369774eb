#include "common/wire/layout_wire.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/limits.h"
#include "common/wire/bounds.h"

namespace alt::wire {
namespace {

struct PrimitiveWriter {
  v1::LayoutPrimitive& out;

  void operator()(const layout::Split& p) {
    out.mutable_split()->set_dim(p.dim);
    out.mutable_split()->mutable_factors()->Add(p.factors.begin(), p.factors.end());
  }
  void operator()(const layout::Reorder& p) {
    out.mutable_reorder()->mutable_permutation()->Add(p.perm.begin(), p.perm.end());
  }
  void operator()(const layout::Fuse& p) {
    out.mutable_fuse()->set_first(p.first);
    out.mutable_fuse()->set_last(p.last);
  }
  void operator()(const layout::Unfold& p) {
    out.mutable_unfold()->set_dim(p.dim);
    out.mutable_unfold()->set_size(p.size);
    out.mutable_unfold()->set_stride(p.stride);
  }
  void operator()(const layout::Pad& p) {
    out.mutable_pad()->set_dim(p.dim);
    out.mutable_pad()->set_before(p.before);
    out.mutable_pad()->set_after(p.after);
  }
  void operator()(const layout::Fold& p) {
    out.mutable_fold()->set_dim(p.dim);
    out.mutable_fold()->set_size(p.size);
    out.mutable_fold()->set_stride(p.stride);
    out.mutable_fold()->set_extent(p.extent);
  }
  void operator()(const layout::Unpad& p) {
    out.mutable_unpad()->set_dim(p.dim);
    out.mutable_unpad()->set_before(p.before);
    out.mutable_unpad()->set_after(p.after);
  }
};

absl::Status CheckDim(int64_t dim) { return CheckRange("dimension", dim, 0, ir::kMaxRank - 1); }
absl::Status CheckExtent(absl::string_view what, int64_t value) {
  return CheckRange(what, value, 1, layout::kMaxNumber);
}

absl::StatusOr<layout::Primitive> Read(const v1::SplitDim& p) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim()));
  ALT_RETURN_IF_ERROR(CheckCount("factors", p.factors_size(), ir::kMaxFactors));
  if (p.factors().empty()) return absl::InvalidArgumentError("no factors");
  // The product is bounded too, so that no shape arithmetic can overflow.
  int64_t product = 1;
  for (const int64_t factor : p.factors()) {
    ALT_RETURN_IF_ERROR(CheckExtent("factor", factor));
    if (factor > layout::kMaxNumber / product)
      return absl::InvalidArgumentError("factors are too large");
    product *= factor;
  }
  return layout::Split{.dim = p.dim(), .factors = {p.factors().begin(), p.factors().end()}};
}

absl::StatusOr<layout::Primitive> Read(const v1::ReorderDims& p) {
  ALT_RETURN_IF_ERROR(CheckCount("dimensions", p.permutation_size(), ir::kMaxRank));
  if (p.permutation().empty()) return absl::InvalidArgumentError("no dimensions");
  std::vector<bool> seen(p.permutation_size());
  for (const int dim : p.permutation()) {
    if (dim < 0 || dim >= p.permutation_size() || seen[dim]) {
      return absl::InvalidArgumentError("not a permutation");
    }
    seen[dim] = true;
  }
  return layout::Reorder{.perm = {p.permutation().begin(), p.permutation().end()}};
}

absl::StatusOr<layout::Primitive> Read(const v1::FuseDims& p) {
  ALT_RETURN_IF_ERROR(CheckDim(p.first()));
  ALT_RETURN_IF_ERROR(CheckRange("last dimension", p.last(), p.first(), ir::kMaxRank - 1));
  return layout::Fuse{.first = p.first(), .last = p.last()};
}

absl::StatusOr<layout::Primitive> Read(const v1::UnfoldDim& p) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim()));
  ALT_RETURN_IF_ERROR(CheckExtent("size", p.size()));
  ALT_RETURN_IF_ERROR(CheckExtent("stride", p.stride()));
  return layout::Unfold{.dim = p.dim(), .size = p.size(), .stride = p.stride()};
}

absl::StatusOr<layout::Primitive> Read(const v1::PadDim& p) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim()));
  ALT_RETURN_IF_ERROR(CheckRange("before", p.before(), 0, layout::kMaxNumber));
  ALT_RETURN_IF_ERROR(CheckRange("after", p.after(), 0, layout::kMaxNumber));
  return layout::Pad{.dim = p.dim(), .before = p.before(), .after = p.after()};
}

absl::StatusOr<layout::Primitive> Read(const v1::FoldDim& p) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim()));
  ALT_RETURN_IF_ERROR(CheckExtent("size", p.size()));
  ALT_RETURN_IF_ERROR(CheckExtent("stride", p.stride()));
  ALT_RETURN_IF_ERROR(CheckExtent("extent", p.extent()));
  return layout::Fold{.dim = p.dim(), .size = p.size(), .stride = p.stride(), .extent = p.extent()};
}

absl::StatusOr<layout::Primitive> Read(const v1::UnpadDim& p) {
  ALT_RETURN_IF_ERROR(CheckDim(p.dim()));
  ALT_RETURN_IF_ERROR(CheckRange("before", p.before(), 0, layout::kMaxNumber));
  ALT_RETURN_IF_ERROR(CheckRange("after", p.after(), 0, layout::kMaxNumber));
  return layout::Unpad{.dim = p.dim(), .before = p.before(), .after = p.after()};
}

}  // namespace

v1::LayoutPrimitive ToProto(const layout::Primitive& primitive) {
  v1::LayoutPrimitive out;
  std::visit(PrimitiveWriter{out}, primitive);
  return out;
}

v1::Layout ToProto(const layout::Layout& layout) {
  v1::Layout out;
  for (const layout::Primitive& p : layout.primitives) *out.add_primitives() = ToProto(p);
  return out;
}

absl::StatusOr<layout::Primitive> FromProto(const v1::LayoutPrimitive& primitive) {
  switch (primitive.kind_case()) {
    case v1::LayoutPrimitive::kSplit:
      return Read(primitive.split());
    case v1::LayoutPrimitive::kReorder:
      return Read(primitive.reorder());
    case v1::LayoutPrimitive::kFuse:
      return Read(primitive.fuse());
    case v1::LayoutPrimitive::kUnfold:
      return Read(primitive.unfold());
    case v1::LayoutPrimitive::kPad:
      return Read(primitive.pad());
    case v1::LayoutPrimitive::kFold:
      return Read(primitive.fold());
    case v1::LayoutPrimitive::kUnpad:
      return Read(primitive.unpad());
    case v1::LayoutPrimitive::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a layout primitive of a kind that this version does not know");
}

absl::StatusOr<layout::Layout> FromProto(const v1::Layout& layout) {
  ALT_RETURN_IF_ERROR(
      CheckCount("layout primitives", layout.primitives_size(), layout::kMaxPrimitives));
  layout::Layout out;
  for (int i = 0; i < layout.primitives_size(); ++i) {
    ALT_ASSIGN_OR_RETURN(layout::Primitive primitive, FromProto(layout.primitives(i)),
                         base::Annotate(_, absl::StrCat("layout primitive ", i)));
    out.primitives.push_back(std::move(primitive));
  }
  return out;
}

}  // namespace alt::wire
