#include "tests/testing/fake_measurer.h"

#include "common/base/check.h"
#include "tests/conformance/measurer_suite.h"

namespace alt::testing {
namespace {

workload::Candidate CandidateOf(const std::string& text) {
  absl::StatusOr<workload::Candidate> candidate = workload::ParseCandidate(text);
  ALT_CHECK_OK(candidate);
  return *candidate;
}

measure::MeasureRequest Request() {
  measure::MeasureRequest request;
  request.workload = {workload::Matmul{.m = 64, .n = 64, .k = 64}};
  for (const char* text : {"split(matmul.m, 4)", "split(matmul.m, 8)", "split(matmul.m, 16)"}) {
    request.candidates.push_back(CandidateOf(text));
  }
  return request;
}

workload::Candidate BadCandidate(measure::Measurer& measurer) {
  workload::Candidate bad = CandidateOf("split(matmul.m, 3)");
  static_cast<FakeMeasurer&>(measurer).Fail(bad, measure::Outcome::kCrashed, "injected");
  return bad;
}

INSTANTIATE_TEST_SUITE_P(
    Fake, MeasurerSuite,
    ::testing::Values(MeasurerCase{.name = "Plain",
                                   .create = [] { return std::make_unique<FakeMeasurer>(); },
                                   .good_request = Request,
                                   .bad_candidate = BadCandidate,
                                   .bad_outcome = measure::Outcome::kCrashed},
                      MeasurerCase{.name = "Noisy",
                                   .create =
                                       [] {
                                         return std::make_unique<FakeMeasurer>(
                                             FakeMeasurer::Options{.seed = 7, .noise = 0.3});
                                       },
                                   .good_request = Request,
                                   .bad_candidate = BadCandidate,
                                   .bad_outcome = measure::Outcome::kCrashed}),
    CaseName);

}  // namespace
}  // namespace alt::testing
