#ifndef TESTS_COMMON_SCHEDULE_GRAPHS_H_
#define TESTS_COMMON_SCHEDULE_GRAPHS_H_

#include <initializer_list>
#include <utility>
#include <vector>

#include "common/te/stage.h"

namespace alt::testing {

// double: t[i, j] = x[i, j] + x[i, j]          i < rows, j < cols + 2
// sum:    y[i, j] = sum over k < 3 of t[i, j + k] * w[k]
inline te::Graph TwoStages(int64_t rows, int64_t cols) {
  const auto axis = [](const char* name, int64_t extent) {
    return te::Axis{ir::MakeVar(name), extent};
  };
  const ir::Buffer x = ir::MakeBuffer("x", {rows, cols + 2});
  const ir::Buffer w = ir::MakeBuffer("w", {3});
  const ir::Buffer t = ir::MakeBuffer("t", {rows, cols + 2});
  const ir::Buffer y = ir::MakeBuffer("y", {rows, cols});
  const te::Axis di = axis("i", rows), dj = axis("j", cols + 2);
  const ir::Expr load = ir::Load(x, {di.var, dj.var});
  const te::Axis i = axis("i", rows), j = axis("j", cols), k = axis("k", 3);
  te::Graph graph;
  graph.tensors = {{x, te::Role::kInput},
                   {w, te::Role::kConstant},
                   {y, te::Role::kOutput},
                   {t, te::Role::kIntermediate}};
  graph.stages = {
      te::Stage{"double", t, {di, dj}, {}, load + load},
      te::Stage{"sum",
                y,
                {i, j},
                {k},
                ir::Load(t, {i.var, ir::Expr(j.var) + ir::Expr(k.var)}) * ir::Load(w, {k.var})}};
  return graph;
}

// A depthwise 3x3 convolution between two pointwise ones, `rows` x `rows` outputs, every stage
// named after what it writes; padding of one on each side stands between the first two:
//   first[o, h, w] = sum over c of x[c, h, w] * u[o, c];  pad;  middle;  last[o, h, w]
inline te::Graph SeparableBlock(int64_t channels, int64_t rows) {
  const auto axes = [](std::initializer_list<std::pair<const char*, int64_t>> list) {
    std::vector<te::Axis> result;
    for (const auto& [name, extent] : list) result.push_back(te::MakeAxis(name, extent));
    return result;
  };
  const auto tensor = [&](const char* name, int64_t size) {
    return ir::MakeBuffer(name, {channels, size, size});
  };
  const ir::Buffer x = tensor("x", rows), first = tensor("first", rows),
                   pad = tensor("pad", rows + 2), middle = tensor("middle", rows),
                   last = tensor("last", rows);
  const ir::Buffer u = ir::MakeBuffer("u", {channels, channels}),
                   v = ir::MakeBuffer("v", {channels, 3, 3}),
                   w = ir::MakeBuffer("w", {channels, channels});
  const auto pointwise = [&](const ir::Buffer& to, const ir::Buffer& from, const ir::Buffer& by) {
    const auto s = axes({{"o", channels}, {"h", rows}, {"w", rows}});
    const auto r = axes({{"c", channels}});
    return te::Stage{
        to->name, to, s, r,
        ir::Load(from, {r[0].var, s[1].var, s[2].var}) * ir::Load(by, {s[0].var, r[0].var})};
  };
  const auto padding = [&] {
    const auto s = axes({{"c", channels}, {"h", rows + 2}, {"w", rows + 2}});
    const ir::Expr h = s[1].var, w = s[2].var;
    const ir::Expr inside = ir::And(ir::And(h >= 1, h < rows + 1), ir::And(w >= 1, w < rows + 1));
    return te::Stage{
        "pad",
        pad,
        s,
        {},
        ir::Select(inside, ir::Load(first, {s[0].var, h - 1, w - 1}), ir::Zero(ir::kF32))};
  };
  const auto depthwise = [&] {
    const auto s = axes({{"c", channels}, {"h", rows}, {"w", rows}});
    const auto r = axes({{"kh", 3}, {"kw", 3}});
    const ir::Expr h = s[1].var, w = s[2].var;
    return te::Stage{"middle", middle, s, r,
                     ir::Load(pad, {s[0].var, h + r[0].var, w + r[1].var}) *
                         ir::Load(v, {s[0].var, r[0].var, r[1].var})};
  };
  te::Graph graph;
  graph.tensors = {{x, te::Role::kInput},          {u, te::Role::kConstant},
                   {v, te::Role::kConstant},       {w, te::Role::kConstant},
                   {last, te::Role::kOutput},      {first, te::Role::kIntermediate},
                   {pad, te::Role::kIntermediate}, {middle, te::Role::kIntermediate}};
  graph.stages = {pointwise(first, x, u), padding(), depthwise(), pointwise(last, middle, w)};
  return graph;
}

}  // namespace alt::testing

#endif  // TESTS_COMMON_SCHEDULE_GRAPHS_H_
