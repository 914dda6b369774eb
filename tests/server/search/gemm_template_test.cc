#include "server/search/space/gemm_template.h"

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "tests/server/search/space_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

using Values = std::map<std::string, int64_t>;

enum : int64_t { kPlain = 0, kPanels = 1 };

class GemmTemplateTest : public ::testing::Test {
 protected:
  GemmTemplateTest() { Use("matmul:m=48,n=64,k=100"); }

  void Use(const std::string& text, SpaceOptions options = {}) {
    space_ = SpaceOf(WorkloadOf(text), Avx512(), std::move(options));
  }

  absl::StatusOr<workload::Candidate> TryBuild(const Values& values) const {
    Point point = space_->knobs().Origin();
    for (const auto& [name, value] : values) {
      space_->knobs().Set(point, name, value);
      EXPECT_EQ(space_->knobs().Value(point, name), value) << name << " is not offered";
    }
    return space_->Build(point);
  }

  workload::Candidate Build(const Values& values) const {
    auto candidate = TryBuild(values);
    EXPECT_TRUE(testing::IsOk(candidate));
    return candidate.ok() ? *std::move(candidate) : workload::Candidate{};
  }

  std::string Text(const Values& values) const { return workload::Print(Build(values)); }

  std::unique_ptr<Space> space_;
};

TEST_F(GemmTemplateTest, PlainOperandsAndPackedWeights) {
  EXPECT_EQ(Text({{"row_tile", 8}, {"vector_tile", 32}}),
            "algorithm direct\n"
            "layout b: split(1,32) reorder(1,0,2)\n"
            "split(matmul.m, 8)\n"
            "split(matmul.n, 32)\n"
            "reorder(matmul: n.0 m.0 k m.1 n.1)\n"
            "unroll(matmul.m.1)\n"
            "vectorize(matmul.n.1)\n");
}

TEST_F(GemmTemplateTest, PanelsOfAAreAsHighAsTheTile) {
  const workload::Candidate c = Build({{"row_tile", 6}, {"vector_tile", 16}, {"a_form", kPanels}});
  EXPECT_EQ(LayoutText(c, "a"), "split(0,6) reorder(0,2,1)");
  EXPECT_EQ(LayoutText(c, "b"), "split(1,16) reorder(1,0,2)");
  EXPECT_EQ(LayoutText(c, "c"), "");
}

TEST_F(GemmTemplateTest, PanelsOfOneRowArePlain) {
  EXPECT_EQ(LayoutText(Build({{"row_tile", 1}, {"a_form", kPanels}}), "a"), "");
}

TEST_F(GemmTemplateTest, TilesOfCAreRegisterTiles) {
  const workload::Candidate c =
      Build({{"row_tile", 8}, {"vector_tile", 32}, {"a_form", kPanels}, {"c_form", kPanels}});
  EXPECT_EQ(LayoutText(c, "c"), "split(0,8) split(2,32) reorder(0,2,1,3)");
  const std::string text = schedule::Print(c.trace);
  EXPECT_TRUE(absl::StrContains(text, "reorder(matmul: n.0 m.0 k m.1 n.1)")) << text;
  EXPECT_FALSE(absl::StrContains(text, "split(matmul.m")) << text;
}

TEST_F(GemmTemplateTest, TilesOfCMustDivideIt) {
  EXPECT_TRUE(
      testing::StatusIs(TryBuild({{"row_tile", 7}, {"vector_tile", 32}, {"c_form", kPanels}}),
                        absl::StatusCode::kFailedPrecondition, "do not divide"));
}

TEST_F(GemmTemplateTest, TransposedOperandsArePackedAlongTheirOtherAxis) {
  Use("matmul:m=48,n=64,k=100,trans_a=1,trans_b=1");
  const workload::Candidate c = Build({{"row_tile", 8}, {"vector_tile", 32}, {"a_form", kPanels}});
  EXPECT_EQ(LayoutText(c, "a"), "split(1,8) reorder(1,0,2)");
  EXPECT_EQ(LayoutText(c, "b"), "split(0,32) reorder(0,2,1)");
}

TEST_F(GemmTemplateTest, ABatchStandsOutermostInLayoutsAndLoops) {
  Use("matmul:m=48,n=64,k=100,batch=3");
  const workload::Candidate c =
      Build({{"row_tile", 8}, {"vector_tile", 32}, {"a_form", kPanels}, {"c_form", kPanels}});
  EXPECT_EQ(LayoutText(c, "a"), "split(1,8) reorder(0,1,3,2)");
  EXPECT_EQ(LayoutText(c, "b"), "split(2,32) reorder(0,2,1,3)");
  EXPECT_EQ(LayoutText(c, "c"), "split(1,8) split(3,32) reorder(0,1,3,2,4)");
  EXPECT_TRUE(absl::StrContains(schedule::Print(c.trace), "reorder(matmul: b n.0 m.0 k"));
}

TEST_F(GemmTemplateTest, TheDepthIsBlockedAndUnrolled) {
  const std::string text = Text({{"row_tile", 4},
                                 {"vector_tile", 16},
                                 {"depth_block", 64},
                                 {"depth_unroll", 4},
                                 {"prefetch", 8}});
  EXPECT_TRUE(absl::StrContains(text, "split(matmul.k, 16, 4)\n")) << text;
  EXPECT_TRUE(absl::StrContains(text, " k.0 k.1 k.2 m.1 n.1)\n")) << text;
  EXPECT_TRUE(absl::StrContains(text, "prefetch(matmul.k.1, b, 8)\n")) << text;
}

TEST_F(GemmTemplateTest, SeedsBeginWithPlainOperands) {
  ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate c, space_->Build(space_->Seeds().front()));
  EXPECT_EQ(LayoutText(c, "a"), "");
  EXPECT_EQ(LayoutText(c, "c"), "");
}

TEST_F(GemmTemplateTest, OneSeedHasTilesThatDivideTheMatrix) {
  Use("matmul:m=128,n=64,k=128");  // three vectors do not divide 64
  int tiled = 0;
  for (const Point& seed : space_->Seeds()) {
    ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate c, space_->Build(seed));
    tiled += LayoutText(c, "c") == "split(0,8) split(2,32) reorder(0,2,1,3)";
  }
  EXPECT_EQ(tiled, 1);
}

// ---- --fix. -------------------------------------------------------------------------------------

TEST_F(GemmTemplateTest, FixedOperandsOfferNoPanels) {
  Use("matmul:m=48,n=64,k=100", Fixed({{"a", ""}, {"c", ""}}));
  for (const char* name : {"a_form", "c_form"}) {
    EXPECT_EQ(space_->knobs().all()[space_->knobs().IndexOf(name)].choices,
              (std::vector<int64_t>{kPlain}));
  }
}

TEST_F(GemmTemplateTest, AFixedConstantIsLeftAlone) {
  Use("matmul:m=48,n=64,k=100", Fixed({{"b", ""}}));
  EXPECT_EQ(LayoutText(Build({{"row_tile", 8}, {"vector_tile", 32}}), "b"), "");
}

TEST_F(GemmTemplateTest, ATransposedResultHasVectorsAlongTheRows) {
  Use("matmul:m=48,n=64,k=100", Fixed({{"c", "reorder(1,0)"}}));
  EXPECT_TRUE(absl::StrContains(Text({{"row_tile", 4}, {"vector_tile", 16}}),
                                "reorder(matmul: m.0 n.0 k n.1 m.1)\n"));
}

TEST_F(GemmTemplateTest, AFixedTiledResultHasItsTilesForRegisterTiles) {
  Use("matmul:m=48,n=64,k=100", Fixed({{"c", "split(0,8) split(2,32) reorder(0,2,1,3)"}}));
  EXPECT_TRUE(absl::StrContains(Text({{"row_tile", 8}, {"vector_tile", 32}}),
                                "reorder(matmul: m.0 n.0 k m.1 n.1)\n"));
}

}  // namespace
}  // namespace alt::search
