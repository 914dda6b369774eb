#include "common/layout/conversion.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/te/printer.h"
#include "common/te/verify.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/evaluate.h"
#include "tests/testing/status_matchers.h"

namespace alt::layout {
namespace {

using testing::StatusIs;

te::Tensor MakeTensor(const Shape& shape) { return {ir::MakeBuffer("x", shape), te::Role::kInput}; }

// Contents of the graph's output for given contents of its input.
std::vector<double> Convert(const te::Graph& graph, std::vector<double> input) {
  ir::Memory memory;
  memory[graph.tensors[0].buffer.get()] = std::move(input);
  EXPECT_TRUE(testing::IsOk(te::Verify(graph)));
  EXPECT_TRUE(testing::IsOk(testing::Evaluate(graph, memory)));
  return memory[graph.tensors[1].buffer.get()];
}

TEST(ConversionTest, PackIsAnOrdinaryStage) {
  ALT_ASSERT_OK_AND_ASSIGN(te::Graph graph,
                           PackGraph(MakeTensor({2, 10}), ParseOrDie("split(1,4)")));
  EXPECT_EQ(te::Print(graph),
            "x: input [2, 10]\n"
            "x_packed: output [2, 3, 4]\n"
            "pack_x: x_packed[d0<2, d1.0<3, d1.1<4] = "
            "select(4*d1.0 + d1.1 < 10, x[d0, 4*d1.0 + d1.1], 0.0)\n");
}

TEST(ConversionTest, UnpackIsAnOrdinaryStage) {
  ALT_ASSERT_OK_AND_ASSIGN(te::Graph graph,
                           UnpackGraph(MakeTensor({2, 10}), ParseOrDie("split(1,4)")));
  EXPECT_EQ(te::Print(graph),
            "x_packed: input [2, 3, 4]\n"
            "x: output [2, 10]\n"
            "unpack_x: x[d0<2, d1<10] = x_packed[d0, floordiv(d1, 4), floormod(d1, 4)]\n");
}

TEST(ConversionTest, GraphsUseTheTensorsBuffer) {
  const te::Tensor tensor = MakeTensor({2, 10});
  EXPECT_EQ(PackGraph(tensor, ParseOrDie("split(1,4)"))->tensors[0].buffer, tensor.buffer);
  EXPECT_EQ(UnpackGraph(tensor, ParseOrDie("split(1,4)"))->tensors[1].buffer, tensor.buffer);
  EXPECT_EQ(PackGraph(tensor, Layout())->tensors[1].buffer->shape, (Shape{2, 10}));
}

TEST(ConversionTest, PackWritesWhatTheLayoutSaysAndUnpackRestores) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Random random(seed);
    const Shape shape = RandomShape(random, 3, 6);
    const Layout layout = RandomLayout(random, shape, {.max_cells = 800});
    SCOPED_TRACE(
        absl::StrCat("seed ", seed, ": ", Print(layout), " on ", absl::StrJoin(shape, "x")));
    const te::Tensor tensor = MakeTensor(shape);
    std::vector<double> plain;
    for (int64_t i = 0; i < NumCells(shape); ++i) plain.push_back(static_cast<double>(i + 1));
    std::vector<double> expected;
    for (int64_t cell : OracleCells(*BoundLayout::Create(layout, shape))) {
      expected.push_back(cell < 0 ? 0 : plain[cell]);
    }
    ALT_ASSERT_OK_AND_ASSIGN(te::Graph pack, PackGraph(tensor, layout));
    const std::vector<double> packed = Convert(pack, plain);
    ASSERT_EQ(packed, expected);
    ALT_ASSERT_OK_AND_ASSIGN(te::Graph unpack, UnpackGraph(tensor, layout));
    ASSERT_EQ(Convert(unpack, packed), plain);
  }
}

TEST(ConversionTest, LayoutThatDoesNotApplyIsRefused) {
  EXPECT_TRUE(StatusIs(PackGraph(MakeTensor({8}), ParseOrDie("split(3,2)")),
                       absl::StatusCode::kInvalidArgument, "split(3,2)"));
}

TEST(ConversionTest, DroppedCellsCannotBeUnpacked) {
  ALT_EXPECT_OK(PackGraph(MakeTensor({8}), ParseOrDie("unpad(0,0,1)")));
  EXPECT_TRUE(StatusIs(UnpackGraph(MakeTensor({8}), ParseOrDie("unpad(0,0,1)")),
                       absl::StatusCode::kFailedPrecondition, "dropped"));
}

}  // namespace
}  // namespace alt::layout
