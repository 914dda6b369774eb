#include "common/lower/lower.h"

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace alt::lower {
namespace {

using testing::StatusIs;

workload::Candidate CandidateOf(const std::string& text) { return *workload::ParseCandidate(text); }

TEST(LowerTest, ProgramsThatAreTooLargeAreRefusedBeforeTheyAreMade) {
  const workload::Workload workload = *workload::Parse("matmul:m=128,n=128,k=64");
  target::Target target;
  const workload::Candidate candidate =
      CandidateOf("unroll(matmul.m) unroll(matmul.n) unroll(matmul.k)");
  ALT_ASSERT_OK_AND_ASSIGN(Kernel loops, LowerToLoops(workload, candidate));
  const absl::Status status = CheckSize(loops, target);
  EXPECT_TRUE(StatusIs(status, absl::StatusCode::kFailedPrecondition,
                       "(operations, accesses, index terms); the most is 100000"));
  EXPECT_EQ(Lower(workload, candidate, target).status(), status);
}

TEST(LowerTest, RemaindersOfUnrolledLoopsCountToo) {
  const workload::Workload workload = *workload::Parse("matmul:m=16383,n=8191,k=1");
  const workload::Candidate candidate = CandidateOf(
      "split(matmul.m, 256) split(matmul.n, 256) unroll(matmul.m.0) "
      "unroll(matmul.m.1) unroll(matmul.n.0) unroll(matmul.n.1)");
  ALT_ASSERT_OK_AND_ASSIGN(Kernel loops, LowerToLoops(workload, candidate));
  EXPECT_TRUE(StatusIs(CheckSize(loops, target::Target()), absl::StatusCode::kFailedPrecondition,
                       "the most is 100000"));
}

TEST(LowerTest, WiderVectorsMakeAProgramSmaller) {
  const workload::Workload workload = *workload::Parse("matmul:m=16,n=128,k=64");
  const workload::Candidate candidate =
      CandidateOf("unroll(matmul.m) unroll(matmul.k) vectorize(matmul.n)");
  ALT_ASSERT_OK_AND_ASSIGN(Kernel loops, LowerToLoops(workload, candidate));
  target::Target wide, narrow;
  wide.vec_bits = 512, narrow.vec_bits = 128;
  ALT_EXPECT_OK(CheckSize(loops, wide));
  EXPECT_TRUE(StatusIs(CheckSize(loops, narrow), absl::StatusCode::kFailedPrecondition));
}

TEST(LowerTest, EveryHintThatAppliesLowers) {
  const target::Target target;
  const auto lower = [&](const char* workload, const char* candidate) {
    return Lower(*workload::Parse(workload), CandidateOf(candidate), target).status();
  };
  ALT_EXPECT_OK(lower("matmul:m=4,n=4,k=4", "prefetch(matmul.m, a, 1)"));
  ALT_EXPECT_OK(lower("conv2d:n=1,ic=1,ih=8,iw=8,oc=2,kh=1,kw=1,pad=1",
                      "compute_at(pad, conv.h) prefetch(conv.h, xp, 1)"));
  ALT_EXPECT_OK(lower("matmul:m=2,n=7,k=4",
                      "split(matmul.n, 4) reorder(matmul: m k n.1 n.0) unroll(matmul.n.0) "
                      "unroll(matmul.n.1) prefetch(matmul.k, b, 1)"));
}

}  // namespace
}  // namespace alt::lower
