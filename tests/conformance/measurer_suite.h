// What every Measurer keeps. A test program includes this file and names its implementation:
//
//   INSTANTIATE_TEST_SUITE_P(Fake, MeasurerSuite, ::testing::Values(MeasurerCase{...}), CaseName);
#ifndef TESTS_CONFORMANCE_MEASURER_SUITE_H_
#define TESTS_CONFORMANCE_MEASURER_SUITE_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/measure/measurer.h"

namespace alt::testing {

struct MeasurerCase {
  std::string name;
  // A fresh one, or null with a message on stderr when this machine cannot run it (skipped).
  std::function<std::unique_ptr<measure::Measurer>()> create;
  // A request with at least two different good candidates.
  std::function<measure::MeasureRequest()> good_request;
  // One more candidate for that workload, which fails on `measurer`, and how.
  std::function<workload::Candidate(measure::Measurer& measurer)> bad_candidate;
  measure::Outcome bad_outcome = measure::Outcome::kRejected;
};

inline std::string CaseName(const ::testing::TestParamInfo<MeasurerCase>& info) {
  return info.param.name;
}

class MeasurerSuite : public ::testing::TestWithParam<MeasurerCase> {
 protected:
  void SetUp() override {
    measurer_ = GetParam().create();
    if (measurer_ == nullptr) GTEST_SKIP() << "not on this machine";
    request_ = GetParam().good_request();
    ASSERT_GE(request_.candidates.size(), 2U);
  }
  std::vector<measure::MeasureResult> Measure() {
    return measurer_->Measure(request_, [] { return false; });
  }

  std::unique_ptr<measure::Measurer> measurer_;
  measure::MeasureRequest request_;
};

inline void ExpectGood(const measure::MeasureResult& result) {
  EXPECT_EQ(measure::OutcomeName(result.outcome), "OK") << result.message;
  EXPECT_EQ(result.message, "");
  ASSERT_TRUE(result.latency.has_value());
  EXPECT_GT(result.latency->min_ns, 0);
  EXPECT_GE(result.latency->median_ns, result.latency->min_ns);
  EXPECT_GE(result.latency->mad_ns, 0);
  EXPECT_GE(result.latency->n, 1);
}

inline void ExpectFailed(const measure::MeasureResult& result, measure::Outcome outcome) {
  EXPECT_EQ(measure::OutcomeName(result.outcome), measure::OutcomeName(outcome)) << result.message;
  EXPECT_FALSE(result.latency.has_value());
  EXPECT_NE(result.message, "");
  EXPECT_FALSE(result.censored);
}

inline void ExpectSecondsNotNegative(const measure::MeasureResult& result) {
  for (double s :
       {result.seconds.build, result.seconds.check, result.seconds.run, result.seconds.wait}) {
    EXPECT_GE(s, 0);
  }
}

TEST_P(MeasurerSuite, NoCandidatesNoResults) {
  request_.candidates.clear();
  EXPECT_TRUE(Measure().empty());
}

TEST_P(MeasurerSuite, EveryGoodCandidateGetsALatency) {
  const std::vector<measure::MeasureResult> results = Measure();
  ASSERT_EQ(results.size(), request_.candidates.size());
  for (const measure::MeasureResult& result : results) {
    ExpectGood(result);
    ExpectSecondsNotNegative(result);
  }
}

TEST_P(MeasurerSuite, WithoutAnIncumbentNothingIsCensored) {
  for (const measure::MeasureResult& result : Measure()) EXPECT_FALSE(result.censored);
}

TEST_P(MeasurerSuite, FarSlowerThanTheIncumbentIsCensoredAndOk) {
  request_.incumbent_ns = 1e-3;
  for (const measure::MeasureResult& result : Measure()) {
    ExpectGood(result);
    EXPECT_TRUE(result.censored);
  }
}

TEST_P(MeasurerSuite, ComparisonsCensorNothingAndTellThePeak) {
  request_.mode = measure::MeasureMode::kCompare;
  request_.incumbent_ns = 1e-3;
  for (const measure::MeasureResult& result : Measure()) {
    ExpectGood(result);
    EXPECT_FALSE(result.censored);
    ASSERT_TRUE(result.peak_gflops.has_value());
    EXPECT_GT(*result.peak_gflops, 0);
  }
}

TEST_P(MeasurerSuite, AFailureIsAResultAndHarmsNoOther) {
  for (measure::MeasureMode mode :
       {measure::MeasureMode::kSearch, measure::MeasureMode::kCompare}) {
    request_.mode = mode;
    const size_t bad = request_.candidates.size() / 2;
    request_.candidates[bad] = GetParam().bad_candidate(*measurer_);
    const std::vector<measure::MeasureResult> results = Measure();
    ASSERT_EQ(results.size(), request_.candidates.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (i == bad) {
        ExpectFailed(results[i], GetParam().bad_outcome);
      } else {
        ExpectGood(results[i]);
      }
    }
  }
}

TEST_P(MeasurerSuite, OnceCancelledTheRestIsCancelled) {
  const std::vector<measure::MeasureResult> results =
      measurer_->Measure(request_, [] { return true; });
  ASSERT_EQ(results.size(), request_.candidates.size());
  for (const measure::MeasureResult& result : results) {
    ExpectFailed(result, measure::Outcome::kCancelled);
  }
}

TEST_P(MeasurerSuite, CancellingMidwayKeepsAnOrderOfDoneThenCancelled) {
  int polls = 0;
  const std::vector<measure::MeasureResult> results =
      measurer_->Measure(request_, [&] { return ++polls > 2; });
  ASSERT_EQ(results.size(), request_.candidates.size());
  bool cancelled = false;
  for (const measure::MeasureResult& result : results) {
    cancelled = cancelled || result.outcome == measure::Outcome::kCancelled;
    if (cancelled) {
      ExpectFailed(result, measure::Outcome::kCancelled);
    } else {
      ExpectGood(result);
    }
  }
  EXPECT_GT(polls, 0);
}

TEST_P(MeasurerSuite, TheSameMeasurerServesManyRequests) {
  for (int i = 0; i < 3; ++i) {
    const std::vector<measure::MeasureResult> results = Measure();
    ASSERT_EQ(results.size(), request_.candidates.size());
    for (const measure::MeasureResult& result : results) ExpectGood(result);
  }
}

}  // namespace alt::testing

#endif  // TESTS_CONFORMANCE_MEASURER_SUITE_H_
