#include "tests/testing/evaluate.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "common/te/op/gemm.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensors.h"

namespace alt::testing {
namespace {

using te::Axis;
using te::Graph;
using te::MakeAxis;
using te::MakeGemm;
using te::Role;

// y[i] = body(i), i < 4, reading x.
Graph OneStage(const ir::Buffer& x, const Axis& i, ir::Expr body) {
  const ir::Buffer y = ir::MakeBuffer("y", {i.extent});
  Graph graph;
  graph.tensors = {{x, Role::kInput}, {y, Role::kOutput}};
  graph.stages = {{.name = "s", .output = y, .spatial = {i}, .body = std::move(body)}};
  return graph;
}

TEST(EvaluateTest, AProductOfMatrices) {
  const Graph graph = MakeGemm({.m = 2, .n = 2, .k = 3});
  ir::Memory memory;
  memory[graph.tensors[0].buffer.get()] = {1, 2, 3, 4, 5, 6};
  memory[graph.tensors[1].buffer.get()] = {1, 0, 0, 1, 2, 3};
  ALT_ASSERT_OK(Evaluate(graph, memory));
  EXPECT_EQ(memory.at(graph.tensors[2].buffer.get()), (std::vector<double>{7, 11, 16, 23}));
}

TEST(EvaluateTest, InputsStayAsTheyWere) {
  const Graph graph = MakeGemm({.m = 1, .n = 1, .k = 2});
  ir::Memory memory;
  memory[graph.tensors[0].buffer.get()] = {0.1, 0.2};
  memory[graph.tensors[1].buffer.get()] = {3, 4};
  ALT_ASSERT_OK(Evaluate(graph, memory));
  EXPECT_EQ(memory.at(graph.tensors[0].buffer.get()), (std::vector<double>{0.1, 0.2}));
}

TEST(EvaluateTest, NothingIsRoundedToSinglePrecision) {
  const ir::Buffer x = ir::MakeBuffer("x", {2});
  const Axis i = MakeAxis("i", 2);
  const ir::Buffer third = ir::MakeTable("third", {1}, {1.0 / 3});
  const Graph graph = OneStage(x, i, ir::Load(third, {0}) * ir::Load(x, {ir::Expr(i.var)}));
  ir::Memory memory;
  memory[x.get()] = {1, 1e-9};
  EXPECT_EQ(EvaluateTensor(graph, memory, "y"), (std::vector<double>{1.0 / 3, 1.0 / 3 * 1e-9}));
}

TEST(EvaluateTest, ASelectGuardsAReadBeyondTheTensor) {
  const ir::Buffer x = ir::MakeBuffer("x", {2});
  const Axis i = MakeAxis("i", 4);
  const Graph graph = OneStage(
      x, i,
      ir::Select(ir::Expr(i.var) < ir::Expr(2), ir::Load(x, {ir::Expr(i.var)}), ir::FloatImm(7)));
  ir::Memory memory;
  memory[x.get()] = {1, 2};
  EXPECT_EQ(EvaluateTensor(graph, memory, "y"), (std::vector<double>{1, 2, 7, 7}));
}

TEST(EvaluateTest, AMissingInputIsNamed) {
  const Graph graph = MakeGemm({.m = 2, .n = 2, .k = 3});
  ir::Memory memory;
  memory[graph.tensors[0].buffer.get()] = {1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(StatusIs(Evaluate(graph, memory), absl::StatusCode::kInvalidArgument,
                       "tensor b needs 6 values, has 0"));
}

TEST(EvaluateTest, AnInputOfTheWrongSizeIsNamed) {
  const Graph graph = MakeGemm({.m = 2, .n = 2, .k = 3});
  ir::Memory memory;
  memory[graph.tensors[0].buffer.get()] = {1, 2};
  memory[graph.tensors[1].buffer.get()] = {1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(StatusIs(Evaluate(graph, memory), absl::StatusCode::kInvalidArgument,
                       "tensor a needs 6 values, has 2"));
}

}  // namespace
}  // namespace alt::testing
