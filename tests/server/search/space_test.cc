// Every workload has a space whose points build and lower.

#include "server/search/space/space.h"

#include <iostream>
#include <string>

#include "common/lower/lower.h"
#include "server/search/evaluator.h"
#include "tests/server/search/space_fixture.h"
#include "tests/server/search/workload_lists.h"
#include "tests/testing/status_matchers.h"

namespace alt::search {
namespace {

// Random points of each workload; what fails is counted over all of a list.
constexpr int kPoints = 8;

std::vector<std::string> AllWorkloads() {
  std::vector<std::string> all;
  all.insert(all.end(), std::begin(kConvolutions), std::end(kConvolutions));
  all.insert(all.end(), std::begin(kMatmuls), std::end(kMatmuls));
  all.insert(all.end(), std::begin(kOddWorkloads), std::end(kOddWorkloads));
  return all;
}

class WorkloadSpaceTest : public ::testing::TestWithParam<std::string> {
 protected:
  const workload::Workload workload_ = WorkloadOf(GetParam());
};

TEST_P(WorkloadSpaceTest, EverySeedBuildsAndLowers) {
  for (const target::Target& target : {Avx512(), Avx2OfTwoThreads()}) {
    const auto space = SpaceOf(workload_, target);
    EXPECT_GE(space->Seeds().size(), 2u);
    for (const Wishes& seed : space->Seeds()) {
      const workload::Candidate candidate = space->At(seed).candidate;
      ALT_EXPECT_OK(lower::Lower(workload_, candidate, target)) << workload::Print(candidate);
    }
  }
}

TEST_P(WorkloadSpaceTest, NearlyAllPointsLower) {
  for (const target::Target& target : {Avx512(), Avx2OfTwoThreads()}) {
    const auto space = SpaceOf(workload_, target);
    const auto candidates = RandomCandidates(*space, 1, kPoints);
    Reasons reasons;
    int lowered = 0;
    for (const workload::Candidate& candidate : candidates) {
      const auto kernel = lower::Lower(workload_, candidate, target);
      lowered += kernel.ok();
      if (!kernel.ok()) reasons.Add(kernel.status());
    }
    EXPECT_GE(10 * lowered, 9 * static_cast<int>(candidates.size())) << reasons.Table();
    if (lowered < static_cast<int>(candidates.size())) {
      std::cout << target::PrintTarget(target) << "\n" << reasons.Table();
    }
  }
}

TEST_P(WorkloadSpaceTest, CandidatesAreWhatTheirTextSays) {
  const auto space = SpaceOf(workload_, Avx512());
  for (const workload::Candidate& candidate : RandomCandidates(*space, 2, kPoints)) {
    ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate parsed,
                             workload::ParseCandidate(workload::Print(candidate)));
    EXPECT_EQ(parsed, candidate) << workload::Print(candidate);
  }
}

TEST_P(WorkloadSpaceTest, ThereIsADefaultCandidateAndItIsASeed) {
  for (const target::Target& target : {Avx512(), Avx2OfTwoThreads()}) {
    ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate candidate,
                             DefaultCandidate(workload_, target, {}));
    const auto space = SpaceOf(workload_, target);
    EXPECT_EQ(candidate, space->At({}).candidate);
  }
}

TEST_P(WorkloadSpaceTest, DecisionsHaveChoicesAndNamesOfTheirOwn) {
  const auto space = SpaceOf(workload_, Avx512());
  Sampler sampler(*space, 4);
  for (int i = 0; i < kPoints; ++i) {
    std::map<std::string, int> names;
    for (const Decision& decision : sampler.Uniform().decisions) {
      EXPECT_EQ(++names[decision.name], 1) << decision.name;
      EXPECT_GE(decision.choices.size(), 2u) << decision.name;
    }
  }
}

TEST_P(WorkloadSpaceTest, APointIsWhatItsDecisionsSay) {
  const auto space = SpaceOf(workload_, Avx512());
  Sampler sampler(*space, 5);
  for (int i = 0; i < kPoints; ++i) {
    const Point point = sampler.Uniform();
    const Point again = space->At(WishesOf(point.decisions));
    EXPECT_EQ(again.decisions, point.decisions);
    EXPECT_EQ(again.candidate, point.candidate);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WorkloadSpaceTest, ::testing::ValuesIn(AllWorkloads()),
                         [](const auto& info) { return absl::StrCat("w", info.index); });

// ---- --fix ------------------------------------------------------------------------------------

struct FixCase {
  const char* workload;
  std::map<std::string, std::string> layouts;
};

class FixedLayoutTest : public ::testing::TestWithParam<FixCase> {};

TEST_P(FixedLayoutTest, CandidatesKeepItAndLower) {
  const FixCase& c = GetParam();
  const workload::Workload workload = WorkloadOf(c.workload);
  const SpaceOptions options = Fixed(c.layouts);
  const auto space = SpaceOf(workload, Avx512(), options);
  std::vector<workload::Candidate> candidates = RandomCandidates(*space, 3, 12);
  ASSERT_EQ(candidates.size(), 12u);
  ASSERT_FALSE(space->Seeds().empty());
  for (const Wishes& seed : space->Seeds()) candidates.push_back(space->At(seed).candidate);
  ALT_ASSERT_OK_AND_ASSIGN(workload::Candidate baseline,
                           DefaultCandidate(workload, Avx512(), options));
  EXPECT_FALSE(baseline.trace.instructions.empty()) << "plain loops are no good default";
  candidates.push_back(baseline);
  int lowered = 0;
  Reasons reasons;
  for (const workload::Candidate& candidate : candidates) {
    for (const auto& [tensor, text] : c.layouts) {
      EXPECT_EQ(LayoutText(candidate, tensor), text) << tensor;
    }
    const auto kernel = lower::Lower(workload, candidate, Avx512());
    lowered += kernel.ok();
    if (!kernel.ok()) reasons.Add(kernel.status());
  }
  EXPECT_GE(10 * lowered, 9 * static_cast<int>(candidates.size())) << reasons.Table();
}

constexpr char kConv[] = "conv2d:n=1,ic=32,ih=14,iw=14,oc=48,kh=3,kw=3,stride=1,pad=1";
constexpr char kGroupedConv[] = "conv2d:n=1,ic=32,ih=9,iw=9,oc=40,kh=3,kw=3,pad=1,groups=2";
constexpr char kDepthwise[] = "conv2d:n=2,ic=32,ih=9,iw=9,oc=32,kh=3,kw=3,pad=1,groups=32";
constexpr char kMatmul[] = "matmul:m=48,n=64,k=40";
constexpr char kBatched[] = "matmul:m=48,n=64,k=40,batch=3,const_b=0";

INSTANTIATE_TEST_SUITE_P(Plain, FixedLayoutTest,
                         ::testing::Values(FixCase{kConv, {{"x", ""}}}, FixCase{kConv, {{"y", ""}}},
                                           FixCase{kConv, {{"x", ""}, {"y", ""}}},
                                           FixCase{kConv, {{"w", ""}}},
                                           FixCase{kGroupedConv, {{"x", ""}, {"y", ""}}},
                                           FixCase{kDepthwise, {{"x", ""}, {"y", ""}}},
                                           FixCase{kMatmul, {{"a", ""}}},
                                           FixCase{kMatmul, {{"c", ""}}},
                                           FixCase{kMatmul, {{"a", ""}, {"b", ""}, {"c", ""}}},
                                           FixCase{kBatched, {{"a", ""}, {"c", ""}}}));

INSTANTIATE_TEST_SUITE_P(
    Other, FixedLayoutTest,
    ::testing::Values(FixCase{kConv, {{"x", "reorder(0,2,3,1)"}, {"y", "reorder(0,2,3,1)"}}},
                      FixCase{kConv, {{"x", "split(1,16) reorder(0,1,3,4,2)"}}},
                      FixCase{kConv, {{"y", "split(1,16) reorder(0,1,3,4,2)"}}},
                      FixCase{kConv,
                              {{"y", "split(1,16) split(3,7) split(5,2) reorder(0,3,5,1,4,6,2)"}}},
                      FixCase{kConv, {{"y", "reorder(0,1,3,2)"}}},
                      FixCase{kGroupedConv, {{"y", "reorder(0,2,3,1)"}}},
                      FixCase{kDepthwise, {{"y", "split(1,16) reorder(0,1,3,4,2)"}}},
                      FixCase{kMatmul, {{"c", "reorder(1,0)"}}},
                      FixCase{kMatmul, {{"a", "reorder(1,0)"}}},
                      FixCase{kMatmul, {{"c", "split(0,8) split(2,16) reorder(0,2,1,3)"}}},
                      FixCase{kBatched, {{"c", "split(2,16) reorder(0,2,1,3)"}}}));

TEST(FixedLayoutErrorTest, ATensorThatTheWorkloadLacksIsRefused) {
  const auto space = Space::Create(WorkloadOf(kMatmul), Avx512(), Fixed({{"x", ""}}));
  EXPECT_TRUE(testing::StatusIs(space, absl::StatusCode::kInvalidArgument, "x"));
}

TEST(FixedLayoutErrorTest, ALayoutThatDoesNotFitTheTensorIsRefusedWithItsName) {
  const auto space = Space::Create(WorkloadOf(kMatmul), Avx512(), Fixed({{"c", "split(2,16)"}}));
  EXPECT_TRUE(testing::StatusIs(space, absl::StatusCode::kInvalidArgument, "layout of c"));
}

}  // namespace
}  // namespace alt::search
