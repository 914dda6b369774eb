#include "common/te/op/convert.h"

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/te/op/conv.h"
#include "common/te/op/gemm.h"
#include "common/te/printer.h"
#include "common/te/verify.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensors.h"

namespace alt::te {
namespace {

using ::alt::testing::EvaluateTensor;
using ::alt::testing::RandomInputs;
using ::alt::testing::SameInputs;
using ::alt::testing::StatusIs;

const GemmSpec kSpec{.m = 3, .n = 4, .k = 5, .batch = 2};

TEST(ConvertTest, AnOutputIsCopiedByANewLastStage) {
  ALT_ASSERT_OK_AND_ASSIGN(const Graph graph, Convert(MakeGemm(kSpec), "c"));
  EXPECT_EQ(Print(graph),
            "a: input [2, 3, 5]\n"
            "b: constant [2, 5, 4]\n"
            "c: output [2, 3, 4]\n"
            "c_c: intermediate [2, 3, 4]\n"
            "matmul: c_c[b<2, m<3, n<4] = sum(k<5) a[b, m, k]*b_1[b, k, n]\n"
            "convert_c: c[b<2, m<3, n<4] = c_c[b, m, n]\n");
}

TEST(ConvertTest, AnInputIsCopiedByANewFirstStageAlongTheAxesOfItsReader) {
  ALT_ASSERT_OK_AND_ASSIGN(const Graph graph, Convert(MakeGemm(kSpec), "a"));
  EXPECT_EQ(Print(graph.stages[0]), "convert_a: a_c[b<2, m<3, k<5] = a[b, m, k]");
  EXPECT_EQ(Print(graph.stages[1]),
            "matmul: c[b<2, m<3, n<4] = sum(k<5) a_c[b, m, k]*b_1[b, k, n]");
}

TEST(ConvertTest, TheResultIsTheSame) {
  const Graph plain = MakeGemm(kSpec);
  ALT_ASSERT_OK_AND_ASSIGN(Graph graph, Convert(plain, "c"));
  ALT_ASSERT_OK_AND_ASSIGN(graph, Convert(std::move(graph), "a"));
  ALT_ASSERT_OK(Verify(graph));
  base::Random random(3);
  const auto inputs = RandomInputs(plain, random);
  EXPECT_EQ(EvaluateTensor(graph, SameInputs(plain, inputs, graph), "c"),
            EvaluateTensor(plain, inputs, "c"));
}

TEST(ConvertTest, OnlyEndsAreConvertedAndOnce) {
  const auto refused = [](const char* tensor) { return Convert(MakeGemm(kSpec), tensor); };
  EXPECT_TRUE(StatusIs(refused("b"), absl::StatusCode::kInvalidArgument, "no input or output"));
  EXPECT_TRUE(StatusIs(refused("z"), absl::StatusCode::kInvalidArgument, "no input or output"));
  ALT_ASSERT_OK_AND_ASSIGN(Graph once, Convert(MakeGemm(kSpec), "a"));
  EXPECT_TRUE(StatusIs(Convert(std::move(once), "a"), absl::StatusCode::kInvalidArgument, "twice"));
}

}  // namespace
}  // namespace alt::te
