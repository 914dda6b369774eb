#include "common/te/op/conv.h"

#include <utility>

#include "common/base/check.h"

namespace alt::te {
namespace {

// The shape {first, second, get(axis)...}.
template <typename Get>
std::vector<int64_t> ShapeOf(int64_t first, int64_t second, const ConvSpec& spec, Get get) {
  std::vector<int64_t> shape = {first, second};
  for (const ConvAxis& axis : spec.axes) shape.push_back(get(axis));
  return shape;
}

// Written without the factor or shift that changes nothing: nobody has to simplify it away.
ir::Expr Scaled(const ir::Var& var, int64_t factor) {
  return factor == 1 ? ir::Expr(var) : ir::Expr(var) * factor;
}
ir::Expr ShiftedBack(const ir::Var& var, int64_t distance) {
  return distance == 0 ? ir::Expr(var) : ir::Expr(var) - distance;
}

// The channel of the padded input that reduction channel ic of output channel o reads.
ir::Expr InputChannel(const ConvSpec& spec, const ir::Var& o, const ir::Var& ic) {
  if (spec.groups == 1) return ic;
  const int64_t group_in = spec.ic / spec.groups;
  const int64_t group_out = spec.oc / spec.groups;
  const ir::Expr group = group_out == 1 ? ir::Expr(o) : ir::FloorDiv(o, group_out);
  return (group_in == 1 ? group : group * group_in) + ic;
}

// Appends what must hold for `index` of [0, extent) to be within the input; nothing where all are.
void AppendWithinInput(const ConvAxis& axis, const ir::Var& index, int64_t extent,
                       std::vector<ir::Expr>& conditions) {
  const int64_t end = axis.pad_begin + axis.input;
  if (axis.pad_begin > 0) conditions.push_back(ir::Expr(axis.pad_begin) <= index);
  if (extent > end) conditions.push_back(index < ir::Expr(end));
}

Stage MakeConvStage(const ConvSpec& spec, const ir::Buffer& xp, const ir::Buffer& w) {
  const std::vector<std::string> names = SpatialNames(spec);
  Stage stage{.name = "conv", .output = ConvOutput(spec)};
  stage.spatial = {MakeAxis("n", spec.n), MakeAxis("o", spec.oc)};
  stage.reduction = {MakeAxis("ic", spec.ic / spec.groups)};
  const ir::Var n = stage.spatial[0].var, o = stage.spatial[1].var, ic = stage.reduction[0].var;
  std::vector<ir::Expr> input_index = {n, InputChannel(spec, o, ic)};
  std::vector<ir::Expr> filter_index = {o, ic};
  for (size_t i = 0; i < spec.axes.size(); ++i) {
    const ConvAxis& axis = spec.axes[i];
    const Axis position = MakeAxis(names[i], axis.output());
    const Axis tap = MakeAxis("k" + names[i], axis.kernel);
    input_index.push_back(Scaled(position.var, axis.stride) + Scaled(tap.var, axis.dilation));
    filter_index.push_back(tap.var);
    stage.spatial.push_back(position);
    stage.reduction.push_back(tap);
  }
  stage.body = ir::Load(xp, input_index) * ir::Load(w, filter_index);
  return stage;
}

}  // namespace

void CheckSpec(const ConvSpec& spec) {
  ALT_CHECK(spec.n > 0 && spec.ic > 0 && spec.oc > 0 && spec.groups > 0);
  ALT_CHECK(spec.ic % spec.groups == 0 && spec.oc % spec.groups == 0) << "groups " << spec.groups;
  ALT_CHECK(!spec.axes.empty() && spec.axes.size() <= 3);
  for (const ConvAxis& axis : spec.axes) {
    ALT_CHECK(axis.input > 0 && axis.kernel > 0 && axis.stride > 0 && axis.dilation > 0);
    ALT_CHECK(axis.pad_begin >= 0 && axis.pad_end >= 0);
    ALT_CHECK(axis.window() <= axis.input + axis.pad_begin + axis.pad_end);
  }
}

std::vector<std::string> SpatialNames(const ConvSpec& spec) {
  const std::vector<std::string> all = {"d", "h", "w"};
  return {all.end() - static_cast<ptrdiff_t>(spec.axes.size()), all.end()};
}

ir::Buffer ConvInput(const ConvSpec& spec) {
  return ir::MakeBuffer(
      "x", ShapeOf(spec.n, spec.ic, spec, [](const ConvAxis& axis) { return axis.input; }));
}

ir::Buffer ConvFilter(const ConvSpec& spec) {
  return ir::MakeBuffer("w", ShapeOf(spec.oc, spec.ic / spec.groups, spec,
                                     [](const ConvAxis& axis) { return axis.kernel; }));
}

ir::Buffer ConvOutput(const ConvSpec& spec) {
  return ir::MakeBuffer(
      "y", ShapeOf(spec.n, spec.oc, spec, [](const ConvAxis& axis) { return axis.output(); }));
}

Stage MakePadStage(const ConvSpec& spec, const ir::Buffer& x, const std::vector<int64_t>& extents) {
  const std::vector<std::string> names = SpatialNames(spec);
  Stage stage{.name = "pad", .spatial = {MakeAxis("n", spec.n), MakeAxis("c", spec.ic)}};
  std::vector<ir::Expr> index = {stage.spatial[0].var, stage.spatial[1].var};
  std::vector<int64_t> shape = {spec.n, spec.ic};
  std::vector<ir::Expr> within;
  for (size_t i = 0; i < spec.axes.size(); ++i) {
    const Axis position = MakeAxis(names[i], extents[i]);
    index.push_back(ShiftedBack(position.var, spec.axes[i].pad_begin));
    AppendWithinInput(spec.axes[i], position.var, extents[i], within);
    stage.spatial.push_back(position);
    shape.push_back(extents[i]);
  }
  stage.output = ir::MakeBuffer("xp", shape);
  stage.body = ir::Load(x, index);
  if (within.empty()) return stage;
  ir::Expr all = within[0];
  for (size_t i = 1; i < within.size(); ++i) all = ir::And(all, within[i]);
  stage.body = ir::Select(all, stage.body, ir::Zero(ir::kF32));
  return stage;
}

Graph MakeConv(const ConvSpec& spec) {
  CheckSpec(spec);
  const ir::Buffer x = ConvInput(spec);
  const ir::Buffer w = ConvFilter(spec);
  std::vector<int64_t> extents;
  for (const ConvAxis& axis : spec.axes) extents.push_back(axis.padded());
  Stage pad = MakePadStage(spec, x, extents);
  Stage conv = MakeConvStage(spec, pad.output, w);
  Graph graph;
  graph.tensors = {{x, Role::kInput},
                   {w, Role::kConstant},
                   {conv.output, Role::kOutput},
                   {pad.output, Role::kIntermediate}};
  graph.stages = {std::move(pad), std::move(conv)};
  return graph;
}

}  // namespace alt::te
