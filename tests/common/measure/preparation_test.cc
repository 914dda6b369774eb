#include "common/measure/preparation.h"

#include "tests/testing/status_matchers.h"

namespace alt::measure {
namespace {

workload::Workload Parse(const char* text) { return *workload::Parse(text); }

TEST(NeededBytesTest, CountsEveryTensorInEachOfItsForms) {
  // Three of each input, four of the output.
  EXPECT_EQ(NeededBytes(Parse("matmul:m=10,n=20,k=30")), 4.0 * (3 * 300 + 3 * 600 + 4 * 200));
  // And three of the padded input.
  EXPECT_EQ(NeededBytes(Parse("conv2d:n=1,ic=2,ih=4,iw=4,oc=3,kh=3,kw=3,pad=1")),
            4.0 * (3 * 32 + 3 * 54 + 3 * 72 + 4 * 48));
}

TEST(NeededBytesTest, IsFiniteWhateverAWorkloadMayName) {
  EXPECT_NEAR(NeededBytes(Parse("matmul:m=1000000,n=1000000,k=1000000")), 4e13, 1e9);
}

TEST(CheckMemoryTest, RefusesWhatTheMachineOrAnyMachineLacks) {
  const workload::Workload small = Parse("matmul:m=1024,n=1024,k=1024");  // 40 MiB
  ALT_EXPECT_OK(CheckMemory(small, 0));
  ALT_EXPECT_OK(CheckMemory(small, 40 << 20));
  EXPECT_TRUE(testing::StatusIs(CheckMemory(small, 39 << 20), absl::StatusCode::kFailedPrecondition,
                                "needs 0.0 GiB, the worker has 0.0"));
  const workload::Workload large = Parse("matmul:m=100000,n=100000,k=100000");
  ALT_EXPECT_OK(CheckMemory(large, 0));  // until a worker says what it has
  EXPECT_TRUE(testing::StatusIs(CheckMemory(large, int64_t{16} << 30),
                                absl::StatusCode::kFailedPrecondition,
                                "needs 372.5 GiB, the worker has 16.0"));
  EXPECT_TRUE(testing::StatusIs(CheckMemory(Parse("matmul:m=1000000,n=1000000,k=1000000"), 0),
                                absl::StatusCode::kFailedPrecondition, "more than any machine has"));
}

TEST(PreparationLimitTest, GrowsWithOperandsAndWithTheReferenceUpToItsSample) {
  const absl::Duration small = PreparationLimit(Parse("matmul:m=8,n=8,k=8"));
  EXPECT_GE(small, absl::Seconds(10));
  EXPECT_LT(small, absl::Seconds(11));
  const absl::Duration large = PreparationLimit(Parse("matmul:m=2048,n=2048,k=2048"));
  EXPECT_GE(large - small, absl::Seconds(2 * 2.048 * 2.048 * 2.048));
  // 275 GFLOP are sampled, not computed.
  EXPECT_LT(PreparationLimit(Parse("conv2d:n=1,ic=512,ih=240,iw=240,oc=512,kh=3,kw=3,pad=1")),
            absl::Minutes(3));
}

}  // namespace
}  // namespace alt::measure
