#ifndef TESTS_COMMON_SCHEDULE_GRAPHS_H_
#define TESTS_COMMON_SCHEDULE_GRAPHS_H_

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

}  // namespace alt::testing

#endif  // TESTS_COMMON_SCHEDULE_GRAPHS_H_
