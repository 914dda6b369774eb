// A tuning job in the shape that the service drives.
#include <gtest/gtest.h>

#include <deque>

#include "server/service/job_proto.h"
#include "server/service/running_job.h"
#include "server/store/memory_tuning_store.h"
#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

TEST(TuneJobTest, OnlyAComparisonOutlivesManyWorkers) {
  const auto store = store::MakeMemoryTuningStore();
  const store::Job stored{.id = "j1",
                          .request_id = "request-1",
                          .spec = {.workload = workload::Print(TestWorkload()),
                                   .target = target::PrintTarget(TestTarget()),
                                   .policy = "random",
                                   .trials = 8},
                          .start = store::JobStart{.l1_bytes = 32 << 10, .l2_bytes = 1 << 20}};
  ALT_ASSERT_OK(store->CommitAndWait({store::CreateJob{stored}}));
  ALT_ASSERT_OK_AND_ASSIGN(const auto job, MakeTuneJob(stored, *store));
  testing::FakeMeasurer measurer;
  int comparisons = 0;
  std::deque<Step> steps;
  steps.push_back(job->Start(absl::UnixEpoch()));
  for (; !steps.empty(); steps.pop_front()) {
    const Step& step = steps.front();
    for (const dispatch::WorkUnit& unit : step.submit) {
      const bool compared = unit.request->mode == measure::MeasureMode::kCompare;
      comparisons += compared;
      EXPECT_EQ(unit.max_losses, compared ? dispatch::kMaxLossesCompared : dispatch::kMaxLosses);
      dispatch::Results results{.job = "j1", .batch = unit.batch};
      const auto measured = measurer.Measure(*unit.request, [] { return false; });
      for (size_t i = 0; i < measured.size(); ++i) {
        results.results.emplace_back(unit.indices[i], measured[i]);
      }
      steps.push_back(job->OnResults(results, absl::UnixEpoch()));
    }
    if (step.tokens.empty()) continue;
    ALT_ASSERT_OK(store->CommitAndWait(step.write));
    steps.push_back(job->OnWritten(step.tokens, absl::UnixEpoch()));
  }
  EXPECT_EQ(job->job().state, job::JobState::kSucceeded);
  EXPECT_EQ(comparisons, 1);
}

}  // namespace
}  // namespace alt::service
