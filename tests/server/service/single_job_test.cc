// bench and peak jobs, one event at a time.
#include <gtest/gtest.h>

#include "server/service/job_proto.h"
#include "server/service/running_job.h"
#include "server/store/memory_tuning_store.h"
#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using job::JobState;

store::Job StartedJob(store::JobKind kind) {
  return {.id = "j1",
          .request_id = "request-1",
          .spec = {.kind = kind,
                   .workload = workload::Print(TestWorkload()),
                   .target = target::PrintTarget(TestTarget())},
          .start = store::JobStart{}};
}

// What the dispatcher says of a unit whose workers vanish.
dispatch::Results GivenUp() {
  measure::MeasureResult result;
  result.outcome = measure::Outcome::kWorkerLost;
  result.message = "given up after 2 lost workers";
  return {.job = "j1", .results = {{0, result}}};
}

TEST(SingleJobTest, APeakEndsWithWhatWasMeasured) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto job, MakePeakJob(StartedJob(store::JobKind::kPeak)));
  EXPECT_EQ(job->Start(absl::UnixEpoch()).submit.size(), 1u);
  const Step step =
      job->OnResults({.job = "j1", .peak = measure::Peak{.gflops = 100}}, absl::UnixEpoch());
  EXPECT_EQ(step.write.size(), 1u);
  EXPECT_EQ(job->job().state, JobState::kSucceeded);
  EXPECT_EQ(ParsePeakProgress(job->job().progress.text)->peak().gflops(), 100);
}

TEST(SingleJobTest, APeakThatIsGivenUpFails) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto job, MakePeakJob(StartedJob(store::JobKind::kPeak)));
  job->Start(absl::UnixEpoch());
  const Step step = job->OnResults(GivenUp(), absl::UnixEpoch());
  EXPECT_EQ(step.write.size(), 1u);
  EXPECT_EQ(job->job().state, JobState::kFailed);
  EXPECT_EQ(job->job().reason, "given up after 2 lost workers");
}

TEST(SingleJobTest, ABenchThatIsGivenUpTellsTheResult) {
  const auto store = store::MakeMemoryTuningStore();
  ALT_ASSERT_OK_AND_ASSIGN(const auto job,
                           MakeBenchJob(StartedJob(store::JobKind::kBench), *store));
  job->Start(absl::UnixEpoch());
  job->OnResults(GivenUp(), absl::UnixEpoch());
  EXPECT_EQ(job->job().state, JobState::kSucceeded);
  EXPECT_EQ(ParseBenchProgress(job->job().progress.text)->result().message(),
            "given up after 2 lost workers");
}

TEST(SingleJobTest, ABenchKeepsItsCandidateWhenItGoesOn) {
  const auto store = store::MakeMemoryTuningStore();
  store::Job stored = StartedJob(store::JobKind::kBench);
  ALT_ASSERT_OK_AND_ASSIGN(const auto first, MakeBenchJob(stored, *store));
  const Step begun = first->Start(absl::UnixEpoch());
  // Another answer turns up while the server is away.
  measure::MeasureResult result;
  result.outcome = measure::Outcome::kOk;
  result.latency = {{.min_ns = 5, .median_ns = 5, .n = 3}};
  ALT_ASSERT_OK(store->CommitAndWait(
      {store::AddMeasurement{.key = {stored.spec.workload, stored.spec.target,
                                     workload::Print(begun.submit[0].request->candidates[0])},
                             .result = result}}));
  ALT_ASSERT_OK_AND_ASSIGN(const auto other, MakeBenchJob(stored, *store));
  EXPECT_EQ(ParseBenchProgress(other->job().progress.text)->source(), v1::ANSWER_SOURCE_EXACT);
  ALT_ASSERT_OK_AND_ASSIGN(const auto again, MakeBenchJob(first->job(), *store));
  EXPECT_EQ(ParseBenchProgress(again->job().progress.text)->source(), v1::ANSWER_SOURCE_DEFAULT);
  EXPECT_EQ(again->Start(absl::UnixEpoch()).submit[0].request->candidates,
            begun.submit[0].request->candidates);
}

}  // namespace
}  // namespace alt::service
