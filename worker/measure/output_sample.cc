#include "worker/measure/output_sample.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/ir/substitute.h"

namespace alt::worker {
namespace {

constexpr int64_t kLastBlock = 16;
constexpr int64_t kFewestBlocks = 3;  // both ends and the middle

}  // namespace

OutputSample::OutputSample(const te::Stage& last, double most_flops) {
  double flops = 2;
  for (const te::Axis& axis : last.reduction) flops *= static_cast<double>(axis.extent);
  for (const te::Axis& axis : last.spatial) {
    const bool is_last = &axis == &last.spatial.back();
    const int64_t block = is_last ? std::min(kLastBlock, axis.extent) : 1;
    axes_.push_back({axis.extent, block, (axis.extent + block - 1) / block});
  }
  if (last.reduction.empty()) return;
  while (flops * static_cast<double>(cells()) > most_flops) {
    Axis* most = nullptr;
    for (Axis& axis : axes_) {
      if (axis.blocks / 2 < kFewestBlocks) continue;
      if (most == nullptr ||
          std::make_pair(axis.share(), axis.blocks) > std::make_pair(most->share(), most->blocks)) {
        most = &axis;
      }
    }
    if (most == nullptr) return;
    most->blocks /= 2;
  }
}

bool OutputSample::is_whole() const {
  return std::all_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.whole(); });
}

int64_t OutputSample::cells() const {
  int64_t cells = 1;
  for (const Axis& axis : axes_) cells *= axis.cells();
  return cells;
}

te::Graph OutputSample::Restrict(const te::Graph& graph) const {
  te::Graph restricted = graph;
  te::Stage& last = restricted.stages.back();
  ALT_CHECK_EQ(last.spatial.size(), axes_.size());
  std::vector<te::Axis> spatial;
  std::vector<int64_t> shape;
  ir::VarMap places;
  for (size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    const te::Axis& old = last.spatial[i];
    const auto add = [&](const char* part, int64_t extent) {
      spatial.push_back(te::MakeAxis(absl::StrCat(old.name(), part), extent));
      shape.push_back(extent);
      return ir::Expr(spatial.back().var);
    };
    if (axis.whole()) {
      places[old.var.get()] = add("", axis.extent);
      continue;
    }
    const ir::Expr block = add("_block", axis.blocks);
    ir::Expr place = ir::FloorDiv(block * (axis.extent - axis.block), ir::IntImm(axis.blocks - 1));
    if (axis.block > 1) place = place + add("_within", axis.block);
    places[old.var.get()] = place;
  }
  const ir::Buffer output = ir::MakeBuffer(last.output->name, std::move(shape), last.output->dtype);
  for (te::Tensor& tensor : restricted.tensors) {
    if (tensor.buffer == last.output) tensor.buffer = output;
  }
  last.output = output;
  last.body = ir::Substitute(last.body, places);
  last.spatial = std::move(spatial);
  return restricted;
}

void OutputSample::Scatter(absl::Span<const float> sampled, absl::Span<float> whole) const {
  ALT_CHECK_EQ(static_cast<int64_t>(sampled.size()), cells());
  const float* next = sampled.data();
  ScatterAxis(0, next, whole.data());
}

void OutputSample::ScatterAxis(size_t axis, const float*& sampled, float* whole) const {
  if (axis == axes_.size()) {
    *whole = *sampled++;
    return;
  }
  int64_t stride = 1;
  for (size_t i = axis + 1; i < axes_.size(); ++i) stride *= axes_[i].extent;
  for (int64_t i = 0; i < axes_[axis].cells(); ++i) {
    ScatterAxis(axis + 1, sampled, whole + axes_[axis].Place(i) * stride);
  }
}

}  // namespace alt::worker
