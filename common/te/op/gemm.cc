#include "common/te/op/gemm.h"

#include <utility>
#include <vector>

#include "common/base/check.h"

namespace alt::te {

Graph MakeGemm(const GemmSpec& spec) {
  ALT_CHECK(spec.m > 0 && spec.n > 0 && spec.k > 0 && spec.batch > 0);
  const Axis m = MakeAxis("m", spec.m);
  const Axis n = MakeAxis("n", spec.n);
  const Axis k = MakeAxis("k", spec.k);
  std::vector<Axis> batch;
  if (spec.batch > 1) batch.push_back(MakeAxis("b", spec.batch));

  // A matrix over the axes (outer, inner), behind the batch.
  struct Matrix {
    ir::Buffer buffer;
    ir::Expr element;
  };
  const auto matrix = [&batch](const char* name, bool transposed, Axis outer, Axis inner) {
    if (transposed) std::swap(outer, inner);
    std::vector<Axis> axes = batch;
    axes.push_back(outer);
    axes.push_back(inner);
    std::vector<int64_t> shape;
    std::vector<ir::Expr> index;
    for (const Axis& axis : axes) {
      shape.push_back(axis.extent);
      index.push_back(axis.var);
    }
    const ir::Buffer buffer = ir::MakeBuffer(name, shape);
    return Matrix{buffer, ir::Load(buffer, index)};
  };
  const Matrix a = matrix("a", spec.trans_a, m, k);
  const Matrix b = matrix("b", spec.trans_b, k, n);
  const Matrix c = matrix("c", false, m, n);

  Stage stage{.name = "matmul", .output = c.buffer, .spatial = batch, .reduction = {k}};
  stage.spatial.push_back(m);
  stage.spatial.push_back(n);
  stage.body = a.element * b.element;
  Graph graph;
  graph.tensors = {{a.buffer, Role::kInput},
                   {b.buffer, spec.const_b ? Role::kConstant : Role::kInput},
                   {c.buffer, Role::kOutput}};
  graph.stages = {std::move(stage)};
  return graph;
}

}  // namespace alt::te
