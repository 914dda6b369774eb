// Any legal layout and trace computes what the naive evaluation computes.

#include <cmath>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/layout/access_rewrite.h"
#include "gtest/gtest.h"
#include "tests/common/lower/run_kernel.h"
#include "tests/testing/random_candidate.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/workloads.h"

namespace alt::lower {
namespace {

target::Target SmallTarget() {
  target::Target target;
  target.vec_bits = 128;  // four lanes: small shapes then have whole vectors and rests
  return target;
}

struct Case {
  workload::Workload workload;
  workload::Candidate candidate;
};

Case RandomCase(uint64_t seed, const std::string& algorithm) {
  base::Random random(seed);
  Case c;
  do {
    c.workload = testing::RandomWorkload(random);
  } while (!workload::MakeGraph(c.workload, algorithm).ok());
  c.candidate.algorithm = algorithm;
  const te::Graph graph = *workload::MakeGraph(c.workload, algorithm);
  c.candidate.layouts = testing::RandomLayouts(graph, random);
  const te::Graph physical = *layout::ApplyLayouts(graph, c.candidate.layouts);
  c.candidate.trace = testing::RandomTrace(physical, 20, random);
  return c;
}

// "" when kernel and reference agree, else what went wrong. A refusal counts in *refused.
std::string Check(const Case& c, uint64_t seed, double tolerance, int* refused) {
  base::Random random(seed);
  const auto outputs = testing::RunBoth(c.workload, c.candidate, SmallTarget(), random);
  if (outputs.status().code() == absl::StatusCode::kFailedPrecondition) {
    if (refused != nullptr) ++*refused;
    return "";
  }
  if (!outputs.ok()) return outputs.status().ToString();
  for (size_t i = 0; i < outputs->kernel.size(); ++i) {
    const double error = std::fabs(outputs->kernel[i] - outputs->reference[i]);
    if (!(error <= tolerance * (1 + std::fabs(outputs->reference[i])))) {
      return absl::StrCat("element ", i, " is ", outputs->kernel[i], ", not ",
                          outputs->reference[i]);
    }
  }
  return "";
}

// Drops instructions and layouts as long as the case still fails.
Case Shrink(Case c, uint64_t seed, double tolerance) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t i = c.candidate.trace.instructions.size(); i-- > 0;) {
      Case next = c;
      next.candidate.trace.instructions.erase(next.candidate.trace.instructions.begin() + i);
      if (Check(next, seed, tolerance, nullptr).empty()) continue;
      if (absl::StrContains(Check(next, seed, tolerance, nullptr), "INVALID_ARGUMENT")) continue;
      c = next;
      smaller = true;
    }
    for (const auto& [tensor, layout] : workload::Candidate(c.candidate).layouts) {
      Case next = c;
      next.candidate.layouts.erase(tensor);
      const std::string error = Check(next, seed, tolerance, nullptr);
      if (error.empty() || absl::StrContains(error, "INVALID_ARGUMENT")) continue;
      c = next;
      smaller = true;
    }
  }
  return c;
}

void CheckSeeds(uint64_t begin, uint64_t end, const std::string& algorithm, double tolerance) {
  int refused = 0;
  for (uint64_t seed = begin; seed < end; ++seed) {
    const Case c = RandomCase(seed, algorithm);
    const std::string error = Check(c, seed, tolerance, &refused);
    if (error.empty()) continue;
    const Case small = Shrink(c, seed, tolerance);
    FAIL() << "seed " << seed << ": " << error
           << "\nshrunk: " << Check(small, seed, tolerance, nullptr) << "\n"
           << workload::Print(workload::CandidateFile{small.workload, small.candidate});
  }
  EXPECT_LT(refused, static_cast<int>(end - begin) / 4) << "most cases must be legal to mean much";
}

TEST(LowerPropertyTest, DirectKernelsComputeWhatTheNaiveEvaluationComputes) {
  CheckSeeds(0, 1500, "direct", 0);
}

TEST(LowerPropertyTest, WinogradKernelsComputeWhatTheNaiveEvaluationComputes) {
  CheckSeeds(0, 150, "winograd(2,2)", 1e-3);
  CheckSeeds(150, 250, "winograd(4,2)", 1e-3);
}

}  // namespace
}  // namespace alt::lower
