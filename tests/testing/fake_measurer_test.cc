#include "tests/testing/fake_measurer.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace alt::testing {
namespace {

using measure::MeasureRequest;
using measure::MeasureResult;
using measure::Outcome;

const workload::Workload kMatmul = {workload::Matmul{.m = 64, .n = 64, .k = 64}};

workload::Candidate SplitBy(int factor) {
  absl::StatusOr<workload::Candidate> candidate =
      workload::ParseCandidate(absl::StrCat("split(matmul.m, ", factor, ")\nunroll(matmul.k)"));
  ALT_CHECK_OK(candidate);
  return *candidate;
}

// Candidates 1 .. n.
MeasureRequest RequestOf(int n) {
  MeasureRequest request;
  request.workload = kMatmul;
  for (int i = 1; i <= n; ++i) request.candidates.push_back(SplitBy(i));
  return request;
}

std::vector<MeasureResult> Measure(FakeMeasurer& measurer, const MeasureRequest& request) {
  return measurer.Measure(request, [] { return false; });
}

TEST(FakeMeasurerTest, SameSeedSameLatencies) {
  FakeMeasurer a, b;
  const std::vector<MeasureResult> first = Measure(a, RequestOf(10));
  const std::vector<MeasureResult> second = Measure(b, RequestOf(10));
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].latency, second[i].latency);
}

TEST(FakeMeasurerTest, AnotherSeedIsAnotherLandscape) {
  FakeMeasurer a, b({.seed = 2});
  EXPECT_NE(a.ModelLatencyNs(kMatmul, SplitBy(4)), b.ModelLatencyNs(kMatmul, SplitBy(4)));
}

TEST(FakeMeasurerTest, NoTwoCandidatesTie) {
  FakeMeasurer measurer;
  std::set<double> latencies;
  for (int i = 1; i <= 50; ++i) latencies.insert(measurer.ModelLatencyNs(kMatmul, SplitBy(i)));
  EXPECT_EQ(latencies.size(), 50U);
}

TEST(FakeMeasurerTest, EachNumberHasABestValueAndCostsMoreAwayFromIt) {
  FakeMeasurer measurer;
  // Powers of two: the model falls to one of them and rises after it, but for the 2 % of the hash.
  std::vector<double> ns;
  for (int log = 0; log <= 10; ++log)
    ns.push_back(measurer.ModelLatencyNs(kMatmul, SplitBy(1 << log)));
  const auto best = std::min_element(ns.begin(), ns.end());
  for (auto it = best; it + 1 != ns.end(); ++it) EXPECT_LT(*it, it[1]);
  for (auto it = best; it != ns.begin(); --it) EXPECT_LT(*it, it[-1]);
}

TEST(FakeMeasurerTest, NothingBeatsThePeak) {
  FakeMeasurer measurer({.peak_gflops = 50});
  for (int i = 1; i <= 50; ++i) {
    EXPECT_GE(measurer.ModelLatencyNs(kMatmul, SplitBy(i)), workload::Flops(kMatmul) / 50);
  }
}

TEST(FakeMeasurerTest, AShareOfTheCandidatesFails) {
  FakeMeasurer measurer({.failure_rate = 0.3, .failures = {Outcome::kCrashed}});
  int crashed = 0;
  for (const MeasureResult& result : Measure(measurer, RequestOf(200))) {
    crashed += result.outcome == Outcome::kCrashed ? 1 : 0;
  }
  EXPECT_GT(crashed, 30);
  EXPECT_LT(crashed, 90);
}

TEST(FakeMeasurerTest, InjectedFailuresSayWhatTheyWereTold) {
  FakeMeasurer measurer;
  measurer.Fail(SplitBy(2), Outcome::kRunTimeout, "10 s are over");
  const std::vector<MeasureResult> results = Measure(measurer, RequestOf(3));
  EXPECT_EQ(results[0].outcome, Outcome::kOk);
  EXPECT_EQ(results[1].outcome, Outcome::kRunTimeout);
  EXPECT_EQ(results[1].message, "10 s are over");
  EXPECT_EQ(results[2].outcome, Outcome::kOk);
}

TEST(FakeMeasurerTest, NoiseDiffersFromTimeToTimeButNotFromRunToRun) {
  FakeMeasurer a({.noise = 0.5}), b({.noise = 0.5});
  const double first = Measure(a, RequestOf(1))[0].latency->min_ns;
  const double second = Measure(a, RequestOf(1))[0].latency->min_ns;
  EXPECT_NE(first, second);
  EXPECT_GE(first, a.ModelLatencyNs(kMatmul, SplitBy(1)));
  EXPECT_LE(first, 1.5 * a.ModelLatencyNs(kMatmul, SplitBy(1)));
  EXPECT_EQ(Measure(b, RequestOf(1))[0].latency->min_ns, first);
  EXPECT_EQ(Measure(b, RequestOf(1))[0].latency->min_ns, second);
}

TEST(FakeMeasurerTest, AModelOfTheTestsOwn) {
  FakeMeasurer measurer(
      {.latency_ns = [](const workload::Workload&, const workload::Candidate&) { return 123.0; }});
  EXPECT_EQ(Measure(measurer, RequestOf(1))[0].latency->min_ns, 123);
}

TEST(FakeMeasurerTest, RemembersWhatItWasAsked) {
  FakeMeasurer measurer;
  Measure(measurer, RequestOf(2));
  Measure(measurer, RequestOf(3));
  EXPECT_EQ(measurer.measured(), 5);
  ASSERT_EQ(measurer.requests().size(), 2U);
  EXPECT_EQ(measurer.requests()[1].candidates.size(), 3U);
}

}  // namespace
}  // namespace alt::testing
