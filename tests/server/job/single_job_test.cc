// bench and peak jobs, one event at a time.
#include "server/job/single_job.h"

#include <gtest/gtest.h>

#include <variant>

#include "server/store/memory_tuning_store.h"
#include "tests/server/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

store::Job StartedJob(JobSpec spec) {
  store::Job job;
  job.id = "j1";
  job.request_id = "request-1";
  job.progress = NoProgress(spec);
  job.spec = std::move(spec);
  job.start = store::JobStart{};
  return job;
}

store::Job StartedPeak() { return StartedJob(PeakSpec{SmallSpec().target}); }
store::Job StartedBench() {
  return StartedJob(BenchSpec{.workload = SmallSpec().workload, .target = SmallSpec().target});
}
const BenchProgress& Benched(const RunningJob& job) {
  return std::get<BenchProgress>(job.job().progress);
}

// What the dispatcher says of a unit whose workers vanish.
dispatch::Results GivenUp() {
  measure::MeasureResult result;
  result.outcome = measure::Outcome::kWorkerLost;
  result.message = "given up after 2 lost workers";
  return {.job = "j1", .results = {{0, result}}};
}

TEST(SingleJobTest, APeakEndsWithWhatWasMeasured) {
  const auto job = MakePeakJob(StartedPeak());
  const Step begun = job->Start(absl::UnixEpoch());
  ASSERT_EQ(begun.submit.size(), 1u);
  EXPECT_EQ(begun.submit[0].request, nullptr);
  EXPECT_EQ(begun.submit[0].target, SmallSpec().target);
  const Step step =
      job->OnResults({.job = "j1", .peak = measure::Peak{.gflops = 100}}, absl::UnixEpoch());
  EXPECT_EQ(step.write.size(), 1u);
  EXPECT_EQ(job->job().state, JobState::kSucceeded);
  EXPECT_EQ(std::get<PeakProgress>(job->job().progress).peak->gflops, 100);
}

TEST(SingleJobTest, APeakThatIsGivenUpFails) {
  const auto job = MakePeakJob(StartedPeak());
  job->Start(absl::UnixEpoch());
  const Step step = job->OnResults(GivenUp(), absl::UnixEpoch());
  EXPECT_EQ(step.write.size(), 1u);
  EXPECT_EQ(job->job().state, JobState::kFailed);
  EXPECT_EQ(job->job().reason, "given up after 2 lost workers");
}

TEST(SingleJobTest, ABenchThatIsGivenUpTellsTheResult) {
  const auto store = store::MakeMemoryTuningStore();
  ALT_ASSERT_OK_AND_ASSIGN(const auto job, MakeBenchJob(StartedBench(), *store));
  job->Start(absl::UnixEpoch());
  job->OnResults(GivenUp(), absl::UnixEpoch());
  EXPECT_EQ(job->job().state, JobState::kSucceeded);
  EXPECT_EQ(Benched(*job).result->message, "given up after 2 lost workers");
}

TEST(SingleJobTest, ABenchTimesTheCandidateThatIsGiven) {
  const auto store = store::MakeMemoryTuningStore();
  store::Job stored = StartedBench();
  auto& spec = std::get<BenchSpec>(stored.spec);
  spec.candidate = *workload::ParseCandidate("unroll(matmul.k)");
  spec.cache = measure::CacheState::kCold;
  ALT_ASSERT_OK_AND_ASSIGN(const auto job, MakeBenchJob(stored, *store));
  EXPECT_EQ(Benched(*job).answer->source, AnswerSource::kGiven);
  const Step begun = job->Start(absl::UnixEpoch());
  ASSERT_EQ(begun.submit.size(), 1u);
  const measure::MeasureRequest& request = *begun.submit[0].request;
  EXPECT_EQ(request.workload, spec.workload);
  EXPECT_EQ(request.target, spec.target);
  EXPECT_EQ(request.candidates, std::vector<workload::Candidate>{*spec.candidate});
  EXPECT_EQ(request.mode, measure::MeasureMode::kCompare);
  EXPECT_EQ(request.cache, measure::CacheState::kCold);
}

TEST(SingleJobTest, ABenchKeepsItsCandidateWhenItGoesOn) {
  const auto store = store::MakeMemoryTuningStore();
  const store::Job stored = StartedBench();
  ALT_ASSERT_OK_AND_ASSIGN(const auto first, MakeBenchJob(stored, *store));
  const Step begun = first->Start(absl::UnixEpoch());
  // Another answer turns up while the server is away.
  measure::MeasureResult result;
  result.outcome = measure::Outcome::kOk;
  result.latency = {{.min_ns = 5, .median_ns = 5, .n = 3}};
  ALT_ASSERT_OK(store->CommitAndWait({store::AddResult{
      .place = {"j9", 0, 0},
      .result = result,
      .record = {{workload::Print(SmallSpec().workload), target::PrintTarget(SmallSpec().target),
                  workload::Print(begun.submit[0].request->candidates[0])}}}}));
  ALT_ASSERT_OK_AND_ASSIGN(const auto other, MakeBenchJob(stored, *store));
  EXPECT_EQ(Benched(*other).answer->source, AnswerSource::kExact);
  ALT_ASSERT_OK_AND_ASSIGN(const auto again, MakeBenchJob(first->job(), *store));
  EXPECT_EQ(Benched(*again).answer->source, AnswerSource::kDefault);
  EXPECT_EQ(again->Start(absl::UnixEpoch()).submit[0].request->candidates,
            begun.submit[0].request->candidates);
}

TEST(SingleJobTest, StoppingTheJobKeepsTheTimeOfRunning) {
  const auto job = MakePeakJob(StartedPeak());
  const absl::Time begin = absl::FromUnixSeconds(1000);
  job->Start(begin);
  job->OnClockStep(absl::Hours(3));
  job->Stop("a test", begin + absl::Hours(3) + absl::Seconds(2));
  EXPECT_EQ(job->job().active, absl::Seconds(2));
  EXPECT_EQ(job->job().state, JobState::kStopped);
  EXPECT_TRUE(job->Fail("again", begin).write.empty()) << "it rests";
}

}  // namespace
}  // namespace alt::job
