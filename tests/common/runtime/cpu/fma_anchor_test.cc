#include "common/runtime/cpu/fma_anchor.h"

#include <algorithm>

#include "common/runtime/cpu/cpu_list.h"

namespace alt::runtime {
namespace {

TEST(SupportedVectorKindsTest, WidestFirst) {
  const std::vector<VectorKind> kinds = SupportedVectorKinds();
  ASSERT_FALSE(kinds.empty());
  EXPECT_TRUE(std::is_sorted(kinds.rbegin(), kinds.rend()));
}

TEST(VectorKindNameTest, EveryKindHasOne) {
  EXPECT_STREQ(VectorKindName(VectorKind::kPortable), "portable");
  EXPECT_STREQ(VectorKindName(VectorKind::kSse), "sse");
  EXPECT_STREQ(VectorKindName(VectorKind::kAvx2), "avx2");
  EXPECT_STREQ(VectorKindName(VectorKind::kAvx512), "avx512");
}

TEST(RunFmaTest, CountsFlopsInProportionToSteps) {
  for (VectorKind kind : SupportedVectorKinds()) {
    const double one = RunFma(kind, 1);
    EXPECT_GT(one, 0) << VectorKindName(kind);
    EXPECT_EQ(RunFma(kind, 1000), 1000 * one) << VectorKindName(kind);
    EXPECT_EQ(RunFma(kind, 0), 0) << VectorKindName(kind);
  }
}

TEST(RunFmaTest, WiderVectorsDoMoreInAStep) {
  if (SupportedVectorKinds().front() != VectorKind::kAvx512) GTEST_SKIP() << "no AVX-512";
  EXPECT_EQ(RunFma(VectorKind::kAvx512, 1), 2 * RunFma(VectorKind::kAvx2, 1));
}

TEST(RunFmaTest, PortableLoopRunsEverywhere) { EXPECT_GT(RunFma(VectorKind::kPortable, 10), 0); }

TEST(FmaAnchorTest, SpeedIsPositiveOnOneThreadAndOnSeveral) {
  for (int threads : {1, 2}) {
    PinnedPool pool(ChooseCpus(AllowedCpus(), threads));
    FmaAnchor anchor(&pool);
    EXPECT_GT(anchor.Gflops(), 0.01);
    const std::vector<VectorKind> kinds = SupportedVectorKinds();
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), anchor.kind()), kinds.end());
  }
}

}  // namespace
}  // namespace alt::runtime
