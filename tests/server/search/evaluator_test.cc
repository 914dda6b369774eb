#include "server/search/evaluator.h"

#include "tests/server/search/space_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

using testing::StatusIs;

class EvaluatorTest : public ::testing::Test {
 protected:
  const workload::Workload workload_ = WorkloadOf("matmul:m=64,n=96,k=48");
  Evaluator evaluator_{workload_, Avx512(), SpaceOf(workload_, Avx512())};
};

TEST_F(EvaluatorTest, ACandidateIsLoweredOnce) {
  const workload::Candidate candidate = evaluator_.space().At({}).candidate;
  const auto loops = evaluator_.LoopsOf(candidate);
  ALT_ASSERT_OK(loops->status());
  EXPECT_EQ((*loops)->params.size(), 3u);
  EXPECT_EQ(evaluator_.LoopsOf(candidate), loops);
  workload::Candidate plain;
  EXPECT_NE(evaluator_.LoopsOf(plain), loops);
}

TEST_F(EvaluatorTest, ARefusalIsKeptWithItsReason) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto candidate, workload::ParseCandidate("unroll(matmul.z)"));
  const auto refused = evaluator_.LoopsOf(candidate);
  EXPECT_TRUE(StatusIs(refused->status(), absl::StatusCode::kInvalidArgument, "no loop z"));
  EXPECT_EQ(evaluator_.LoopsOf(candidate), refused);
}

TEST_F(EvaluatorTest, WhatIsTooLargeForAWorkerIsRefusedToo) {
  ALT_ASSERT_OK_AND_ASSIGN(
      const auto candidate,
      workload::ParseCandidate("unroll(matmul.m)\nunroll(matmul.n)\nunroll(matmul.k)"));
  EXPECT_EQ(evaluator_.LoopsOf(candidate)->status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(EvaluatorTest, TheOldestAreForgotten) {
  std::shared_ptr<const Evaluator::Loops> first;
  for (int64_t factor = 1; factor <= 64; ++factor) {
    for (const char* axis : {"m", "n", "k"}) {
      workload::Candidate candidate;
      candidate.trace.instructions.push_back(schedule::Split{"matmul", axis, {factor}});
      const auto loops = evaluator_.LoopsOf(candidate);
      if (first == nullptr) first = loops;
    }
  }
  EXPECT_EQ(first.use_count(), 1) << "192 candidates later";
}

TEST(DefaultCandidateTest, FixedLayoutsThatDoubleWithEachWordAreTheCallersMistake) {
  std::string text;
  for (int i = 0; i < 22; ++i) absl::StrAppend(&text, "split(0,", 3 - i % 2, ") fuse(0,1) ");
  const auto refused =
      DefaultCandidate(WorkloadOf("matmul:m=17,n=16,k=4"), Avx512(), Fixed({{"c", text}}));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument) << refused.status();
}

}  // namespace
}  // namespace alt::search
