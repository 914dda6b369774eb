#include "worker/measure/reference_check.h"

#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/workload/workload.h"

namespace alt::worker {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::optional<std::string> Compare(const std::vector<float>& got, const std::vector<float>& want,
                                   double tolerance) {
  HostLoop loop(2, [] { return false; });
  return CompareResult(got, want, tolerance, loop);
}

int64_t MagnitudeOf(const std::string& text) {
  absl::StatusOr<workload::Workload> workload = workload::Parse(text);
  EXPECT_TRUE(workload.ok()) << text;
  absl::StatusOr<te::Graph> graph = workload::MakeGraph(*workload);
  EXPECT_TRUE(graph.ok()) << text;
  return ExactMagnitude(*graph);
}

TEST(CompareResultTest, EqualIsRight) {
  EXPECT_FALSE(Compare({1, 2, 3}, {1, 2, 3}, 0).has_value());
}

TEST(CompareResultTest, ZerosOfBothSignsAreEqual) {
  EXPECT_FALSE(Compare({-0.0F}, {0.0F}, 0).has_value());
}

TEST(CompareResultTest, TheSmallestDifferenceIsWrongWithoutTolerance) {
  const auto wrong = Compare({1, 2.0000002F, 3}, {1, 2, 3}, 0);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->substr(0, 42), "1 of 3 cells are wrong, first cell 1: 2 in");
}

TEST(CompareResultTest, TheToleranceIsAShareOfTheLargestValue) {
  EXPECT_FALSE(Compare({0.9F, 100}, {0, -100 + 200}, 0.01).has_value());
  EXPECT_TRUE(Compare({1.1F, 100}, {0, 100}, 0.01).has_value());
}

TEST(CompareResultTest, NotANumberIsNeverRight) {
  EXPECT_TRUE(Compare({kNan, 1}, {0, 1}, 0).has_value());
  EXPECT_TRUE(Compare({kNan, 1}, {0, 1}, 1e9).has_value());
  const auto wrong = Compare({kNan}, {5}, 0.1);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_NE(wrong->find("never written"), std::string::npos) << *wrong;
}

TEST(CompareResultTest, WhereTheReferenceComputedNothingAnyNumberIsRightAndMustBeThere) {
  EXPECT_FALSE(Compare({-7, 1}, {AnyNumber(), 1}, 0).has_value());
  EXPECT_FALSE(Compare({1e30F, 1.001F}, {AnyNumber(), 1}, .01).has_value());
  EXPECT_TRUE(Compare({-7, 2}, {AnyNumber(), 1}, 0).has_value());
  EXPECT_TRUE(Compare({std::numeric_limits<float>::infinity(), 1}, {AnyNumber(), 1}, 0));
  const auto wrong = Compare({kNan, 1}, {AnyNumber(), 1}, 0);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_NE(wrong->find("instead of a number (never written"), std::string::npos) << *wrong;
}

TEST(CompareResultTest, EveryCellOfALargeOutputIsCompared) {
  std::vector<float> want(300'000, 2), got = want;
  EXPECT_FALSE(Compare(got, want, 0).has_value());
  for (const size_t place : {size_t{0}, size_t{65'535}, size_t{65'536}, size_t{299'999}}) {
    got[place] = 1;
    const auto wrong = Compare(got, want, 0);
    ASSERT_TRUE(wrong.has_value());
    EXPECT_EQ(*wrong,
              absl::StrCat("1 of 300000 cells are wrong, first cell ", place, ": 1 instead of 2"));
    got[place] = 2;
  }
  got[70'000] = got[200'000] = got[200'001] = 1;
  EXPECT_NE(Compare(got, want, 0)->find("3 of 300000 cells are wrong, first cell 70000"),
            std::string::npos);
}

TEST(CompareResultTest, InfinityIsWrong) {
  EXPECT_TRUE(Compare({std::numeric_limits<float>::infinity()}, {5}, 0.1).has_value());
}

TEST(CompareResultTest, CountsWhatIsWrong) {
  const auto wrong = Compare({1, 9, 9, 4}, {1, 2, 3, 4}, 0);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->substr(0, 6), "2 of 4");
}

TEST(ToleranceOfTest, OnlyTransformsRound) {
  EXPECT_EQ(ToleranceOf({}), 0);
  EXPECT_GT(ToleranceOf({{workload::Winograd{6, 6}}}), 4e-5);
  // Less than one product left out of the largest reduction there is: about 1/sqrt(2048 * 9).
  EXPECT_LT(ToleranceOf({{workload::Winograd{4, 4}}}), 1 / 135.0);
}

TEST(ExactMagnitudeTest, SumsStayBelowTwoToThe24) {
  for (const char* text :
       {"matmul:m=4,n=4,k=1", "matmul:m=4,n=4,k=300000", "matmul:m=1,n=1,k=5000000",
        "conv2d:n=1,ic=2048,ih=33,iw=33,oc=256,kh=3,kw=3,pad=6"}) {
    const int64_t magnitude = MagnitudeOf(text);
    EXPECT_GE(magnitude, 1) << text;
    EXPECT_LE(magnitude, 8) << text;
  }
  EXPECT_EQ(MagnitudeOf("matmul:m=4,n=4,k=1"), 8);
  EXPECT_EQ(MagnitudeOf("matmul:m=4,n=4,k=300000"), 7);   // 49 * 300000 < 2^24 <= 64 * 300000
  EXPECT_EQ(MagnitudeOf("matmul:m=1,n=1,k=5000000"), 1);  // 4 * 5000000 > 2^24
}

}  // namespace
}  // namespace alt::worker
