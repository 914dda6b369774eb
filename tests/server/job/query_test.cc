#include "server/job/query.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "server/search/evaluator.h"
#include "server/store/memory_tuning_store.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

using Source = AnswerSource;

target::Target TestTarget(int threads = 1) {
  return *target::ParseTarget(absl::StrCat("cpu:mcpu=skylake-avx512,vec=512,threads=", threads));
}
workload::Workload TestWorkload(const std::string& text = "matmul:m=64,n=64,k=64") {
  return *workload::Parse(text);
}

// A store with one measurement of the default schedule of each workload.
class QueryTest : public ::testing::Test {
 protected:
  void Add(const std::string& text, const target::Target& target, double median_ns) {
    const workload::Workload workload = TestWorkload(text);
    ALT_ASSERT_OK_AND_ASSIGN(const workload::Candidate candidate,
                             search::DefaultCandidate(workload, target, {}));
    store::AddResult add{.place = {"j1", 0, ++results_},
                         .record = {{workload::Print(workload), target::PrintTarget(target),
                                     workload::Print(candidate)}}};
    add.validators = validators_;
    add.result.outcome = measure::Outcome::kOk;
    add.result.latency = {.min_ns = median_ns, .median_ns = median_ns, .mad_ns = 0, .n = 3};
    ALT_ASSERT_OK(store_->CommitAndWait({add}));
  }
  Answer Ask(const std::string& text, QuerySpec query = {}) {
    query.workload = TestWorkload(text);
    query.target = TestTarget();
    auto result = FindBest(*store_, query);
    EXPECT_TRUE(testing::IsOk(result));
    return result.value_or(Answer{});
  }

  int64_t results_ = 0;
  measure::Validators validators_;
  std::unique_ptr<store::TuningStore> store_ = store::MakeMemoryTuningStore();
};

TEST_F(QueryTest, NothingKnownIsTheDefaultSchedule) {
  const Answer best = Ask("matmul:m=64,n=64,k=64");
  EXPECT_EQ(best.source, Source::kDefault);
  EXPECT_EQ(best.reason,
            "this workload was never tuned, and no other one of its kind for this target");
  EXPECT_TRUE(best.record.empty());
  EXPECT_FALSE(best.latency.has_value());
  EXPECT_EQ(best.candidate, *search::DefaultCandidate(TestWorkload(), TestTarget(), {}));
}

TEST_F(QueryTest, TheSameWorkloadAnswersExactly) {
  Add("matmul:m=64,n=64,k=64", TestTarget(), 1000);
  const Answer best = Ask("matmul:k=64,n=64,m=64");
  EXPECT_EQ(best.source, Source::kExact);
  EXPECT_TRUE(best.reason.empty());
  EXPECT_EQ(best.record.size(), 16u);
  EXPECT_EQ(best.latency->median_ns, 1000);
}

TEST_F(QueryTest, ASimilarWorkloadsCandidateIsAdaptedAndTheDifferenceNamed) {
  Add("matmul:m=64,n=64,k=64", TestTarget(), 1000);
  Add("matmul:m=4096,n=64,k=64", TestTarget(), 1000);
  const Answer best = Ask("matmul:m=64,n=64,k=128");
  EXPECT_EQ(best.source, Source::kNearest);
  EXPECT_NE(best.reason.find("(k=64 instead of 128)"), std::string::npos) << best.reason;
  EXPECT_FALSE(best.record.empty());
  EXPECT_FALSE(best.latency.has_value());
}

TEST_F(QueryTest, AnotherTargetAnswersOnlyWhenAsked) {
  Add("matmul:m=64,n=64,k=64", *target::ParseTarget("cpu:mcpu=znver4,vec=512,threads=4"), 1000);
  const Answer best = Ask("matmul:m=64,n=64,k=64");
  EXPECT_EQ(best.source, Source::kDefault);
  EXPECT_NE(best.reason.find("threads=4"), std::string::npos) << best.reason;
  const Answer any = Ask("matmul:m=64,n=64,k=64", {.any_target = true});
  EXPECT_EQ(any.source, Source::kNearest);
  EXPECT_NE(any.reason.find("threads=4"), std::string::npos) << any.reason;
}

TEST_F(QueryTest, TheNearestNumberOfThreadsAnswersAndIsMarked) {
  Add("matmul:m=64,n=64,k=64", TestTarget(8), 500);
  Add("matmul:m=64,n=64,k=64", TestTarget(2), 1000);
  const Answer best = Ask("matmul:m=64,n=64,k=64");
  EXPECT_EQ(best.source, Source::kNearest);
  EXPECT_NE(best.reason.find("nearest: for cpu:mcpu=skylake-avx512,vec=512,threads=2"),
            std::string::npos)
      << best.reason;
  EXPECT_FALSE(best.latency.has_value());
}

TEST_F(QueryTest, WhatWasMeasuredUnderOtherFactsIsNeverExact) {
  const measure::Validators then{{"cpu", "a model"}, {"llvm", "18"}};
  const measure::Validators now{{"cpu", "a model"}, {"llvm", "19"}};
  validators_ = then;
  Add("matmul:m=64,n=64,k=64", TestTarget(), 1000);
  const std::string workload = "matmul:m=64,n=64,k=64";
  // Nobody knows better than the newest measurement.
  EXPECT_EQ(Ask(workload).source, Source::kExact);
  const Answer asked = Ask(workload, {.validators = now});
  EXPECT_EQ(asked.source, Source::kNearest);
  EXPECT_NE(asked.reason.find("llvm=18 instead of 19"), std::string::npos) << asked.reason;
  EXPECT_EQ(asked.reason.find("cpu"), std::string::npos) << asked.reason;
  EXPECT_EQ(asked.record.size(), 16u);
  EXPECT_FALSE(asked.latency.has_value());
  QuerySpec query{.workload = TestWorkload(workload), .target = TestTarget()};
  EXPECT_EQ(FindBest(*store_, query, {now})->source, Source::kNearest);
  EXPECT_EQ(FindBest(*store_, query, {now, then})->source, Source::kExact) << "one of the workers";
  // Measured again it is exact again.
  validators_ = now;
  Add(workload, TestTarget(), 1200);
  EXPECT_EQ(Ask(workload, {.validators = now}).source, Source::kExact);
  EXPECT_EQ(Ask(workload, {.validators = now}).latency->median_ns, 1200);
  EXPECT_EQ(Ask(workload, {.validators = then}).latency->median_ns, 1000);
}

TEST_F(QueryTest, FixedLayoutsAreKept) {
  Add("matmul:m=64,n=64,k=64", TestTarget(), 1000);
  const layout::Layout columns = *layout::Parse("reorder(1,0)");
  const Answer fixed = Ask("matmul:m=64,n=64,k=64", {.fixed_layouts = {{"a", columns}}});
  EXPECT_NE(fixed.source, Source::kExact) << "the default schedule reads a row by row";
  EXPECT_TRUE(workload::HasLayouts(fixed.candidate, {{"a", columns}}));
}

TEST(DescribeDifferenceTest, NamesWhatDiffers) {
  EXPECT_EQ(DescribeDifference("conv2d:n=1,ic=96,pad=1", "conv2d:n=1,ic=64,pad=1x0"),
            "ic=64 instead of 96, pad=1x0 instead of 1");
  EXPECT_EQ(DescribeDifference("conv2d:n=1", "matmul:m=1"), "another operator");
}

}  // namespace
}  // namespace alt::job
