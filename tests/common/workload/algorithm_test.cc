#include "common/workload/algorithm.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/workload/workload.h"
#include "tests/testing/status_matchers.h"

namespace alt::workload {
namespace {

using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(AlgorithmTest, TextsParseToWhatTheyPrint) {
  for (const std::string text :
       {"direct", "winograd(4,4)", "winograd(2,6)", "winograd(1,99)", "winograd(2,2) winograd(4,4)",
        "convert(y)", "winograd(4,4) convert(x) convert(y)"}) {
    ALT_ASSERT_OK_AND_ASSIGN(const Algorithm algorithm, ParseAlgorithm(text));
    EXPECT_EQ(Print(algorithm), text);
  }
}

TEST(AlgorithmTest, TheEmptyListIsDirect) {
  EXPECT_EQ(Print(Algorithm()), "direct");
  ALT_ASSERT_OK_AND_ASSIGN(const Algorithm direct, ParseAlgorithm("direct"));
  EXPECT_EQ(direct, Algorithm());
}

TEST(AlgorithmTest, SpacesAreFree) {
  ALT_ASSERT_OK_AND_ASSIGN(const Algorithm algorithm,
                           ParseAlgorithm(" winograd( 4 , 2 )winograd(2,2) "));
  EXPECT_EQ(algorithm, (Algorithm{{Winograd{4, 2}, Winograd{2, 2}}}));
}

TEST(AlgorithmTest, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_TRUE(StatusIs(ParseAlgorithm("winogard(4,4)"), kInvalid, "did you mean 'winograd'?"));
  EXPECT_TRUE(StatusIs(ParseAlgorithm("direkt"), kInvalid, "did you mean 'direct'?"));
  EXPECT_TRUE(StatusIs(ParseAlgorithm("fft"), kInvalid,
                       "there are direct, winograd(mh,mw) and convert(tensor)"));
  EXPECT_TRUE(StatusIs(ParseAlgorithm(" "), kInvalid, "the algorithm is empty; write direct"));
}

TEST(AlgorithmTest, DirectIsNoRewrite) {
  EXPECT_TRUE(
      StatusIs(ParseAlgorithm("direct winograd(4,4)"), kInvalid, "unknown algorithm 'direct'"));
}

TEST(AlgorithmTest, WinogradTakesTwoSaneTileSizes) {
  for (const char* text : {"winograd", "winograd()", "winograd(4)", "winograd(4,4,4)",
                           "winograd(0,4)", "winograd(4,-1)", "winograd(4,100)", "winograd(a,4)",
                           "winograd(4,)", "winograd(99999999999999999999,4)"}) {
    EXPECT_TRUE(StatusIs(ParseAlgorithm(text), kInvalid,
                         absl::StrCat(text, ": expected two tile sizes from 1 to 99")));
  }
  EXPECT_TRUE(StatusIs(ParseAlgorithm("winograd(4,4"), kInvalid, "expected ')'"));
}

TEST(AlgorithmTest, ConvertNamesOneTensor) {
  for (const char* text : {"convert", "convert()", "convert(a,b)", "convert(a b)"}) {
    EXPECT_TRUE(StatusIs(ParseAlgorithm(text), kInvalid, "expected the name of one tensor"));
  }
}

TEST(AlgorithmTest, ConversionsStandBehindTheComputationAndAreNoAffairOfTheOperator) {
  ALT_ASSERT_OK_AND_ASSIGN(const Algorithm algorithm,
                           ParseAlgorithm("winograd(4,4) convert(x) convert(y)"));
  const Parts parts = PartsOf(algorithm);
  EXPECT_EQ(Print(parts.computation), "winograd(4,4)");
  EXPECT_EQ(parts.conversions, (std::vector<Convert>{{"x"}, {"y"}}));
  ALT_ASSERT_OK_AND_ASSIGN(const Workload workload,
                           Parse("conv2d:n=1,ic=4,ih=8,iw=8,oc=4,kh=3,kw=3,pad=1"));
  EXPECT_EQ(LeastFlops(workload, algorithm), LeastFlops(workload, parts.computation));
  ALT_ASSERT_OK_AND_ASSIGN(const te::Graph graph, MakeGraph(workload, algorithm));
  EXPECT_EQ(graph.stages.front().name, "convert_x");
  EXPECT_EQ(graph.stages.back().name, "convert_y");
  ALT_ASSERT_OK_AND_ASSIGN(const Algorithm wrong, ParseAlgorithm("convert(y) winograd(4,4)"));
  EXPECT_TRUE(StatusIs(MakeGraph(workload, wrong), kInvalid, "convert(y) stands before others"));
  // Whoever names it, a worker or a client: the server reckons with it all the same.
  EXPECT_EQ(LeastFlops(workload, wrong), LeastFlops(workload, parts.computation));
  ALT_ASSERT_OK_AND_ASSIGN(const Workload matmul, Parse("matmul:m=8,n=8,k=8"));
  EXPECT_TRUE(StatusIs(MakeGraph(matmul, wrong), kInvalid, "convert(y) stands before others"));
}

TEST(AlgorithmTest, TextsAreBounded) {
  std::string text;
  for (int i = 0; i < kMaxRewrites; ++i) absl::StrAppend(&text, "winograd(2,2) ");
  ALT_EXPECT_OK(ParseAlgorithm(text));
  EXPECT_TRUE(StatusIs(ParseAlgorithm(text + "winograd(2,2)"), kInvalid, "at most 8 rewrites"));
  EXPECT_TRUE(StatusIs(ParseAlgorithm(std::string(100000, ' ')), kInvalid, "bytes"));
}

TEST(AlgorithmTest, ARewriteNeedsAStageThatItRewrites) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv, Parse("conv2d:n=1,ic=4,ih=8,iw=8,oc=4,kh=3,kw=3"));
  ALT_EXPECT_OK(MakeGraph(conv, {{Winograd{2, 2}}}));
  EXPECT_TRUE(StatusIs(MakeGraph(conv, {{Winograd{2, 2}, Winograd{4, 4}}}), kInvalid,
                       "winograd(2,2) leaves no convolution for winograd(4,4)"));
}

}  // namespace
}  // namespace alt::workload
