#include "common/layout/conversion.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/layout/apply_layouts.h"

namespace alt::layout {
namespace {

// A copy between two plain tensors; layouts make it a conversion.
te::Graph CopyGraph(std::string stage_name, const ir::Buffer& from, const ir::Buffer& to) {
  te::Stage stage{.name = std::move(stage_name), .output = to};
  Indices indices;
  for (size_t i = 0; i < from->shape.size(); ++i) {
    stage.spatial.push_back(te::MakeAxis(absl::StrCat("d", i), from->shape[i]));
    indices.push_back(stage.spatial.back().var);
  }
  stage.body = ir::Load(from, indices);
  return {.tensors = {{from, te::Role::kInput}, {to, te::Role::kOutput}}, .stages = {stage}};
}

ir::Buffer Packed(const ir::BufferNode& tensor) {
  return ir::MakeBuffer(absl::StrCat(tensor.name, "_packed"), tensor.shape, tensor.dtype);
}

}  // namespace

absl::StatusOr<te::Graph> PackGraph(const te::Tensor& tensor, const Layout& layout) {
  const ir::Buffer& plain = tensor.buffer;
  const ir::Buffer packed = Packed(*plain);
  return RewriteGraph(CopyGraph(absl::StrCat("pack_", plain->name), plain, packed),
                      {{packed->name, layout}});
}

absl::StatusOr<te::Graph> UnpackGraph(const te::Tensor& tensor, const Layout& layout) {
  const ir::Buffer& plain = tensor.buffer;
  const ir::Buffer packed = Packed(*plain);
  return RewriteGraph(CopyGraph(absl::StrCat("unpack_", plain->name), packed, plain),
                      {{packed->name, layout}});
}

}  // namespace alt::layout
