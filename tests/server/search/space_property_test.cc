// Any point of a space that builds computes what the naive evaluation computes.

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "tests/common/lower/run_kernel.h"
#include "tests/server/search/space_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/workloads.h"

namespace alt::search {
namespace {

// Four lanes: small shapes have whole vectors and rests.
target::Target SmallTarget(int threads) {
  return {.mcpu = "x86-64", .vec_bits = 128, .threads = threads};
}

struct Case {
  workload::Workload workload;
  target::Target target;
  SpaceOptions options;
  Wishes wishes;
};

workload::Candidate CandidateOf(const Case& c) {
  return SpaceOf(c.workload, c.target, c.options)->At(c.wishes).candidate;
}

// "" when kernel and reference agree or lowering refuses the point, else what went wrong.
std::string Check(const Case& c, bool* ran = nullptr) {
  base::Random random(7);
  const auto outputs = testing::RunBoth(c.workload, CandidateOf(c), c.target, random);
  if (outputs.status().code() == absl::StatusCode::kFailedPrecondition) return "";
  if (!outputs.ok()) return outputs.status().ToString();
  if (ran != nullptr) *ran = true;
  for (size_t i = 0; i < outputs->kernel.size(); ++i) {
    // Sums of small integers are exact in any order.
    if (outputs->kernel[i] == outputs->reference[i]) continue;
    return absl::StrCat("element ", i, " is ", outputs->kernel[i], ", not ", outputs->reference[i]);
  }
  return "";
}

// First choices instead of what was wished, as long as the case still fails.
Case Shrink(Case c) {
  for (const auto& [name, value] : Wishes(c.wishes)) {
    c.wishes.erase(name);
    if (Check(c).empty()) c.wishes[name] = value;
  }
  return c;
}

// A layout of the output for --fix, now and then.
SpaceOptions RandomFix(const workload::Workload& workload, base::Random& random) {
  const bool matmul = std::holds_alternative<workload::Matmul>(workload.op);
  if (random.Bernoulli(0.6)) return {};
  if (random.Bernoulli(0.5)) return Fixed({{matmul ? "c" : "y", ""}});
  if (!matmul) {
    return Fixed(
        {{"y", random.Bernoulli(0.5) ? "reorder(0,2,3,1)" : "split(1,2) reorder(0,1,3,4,2)"},
         {"x", random.Bernoulli(0.5) ? "" : "reorder(0,3,2,1)"}});
  }
  const bool batched = std::get<workload::Matmul>(workload.op).batch > 1;
  return Fixed({{"c", batched ? "split(2,3) reorder(0,2,1,3)" : "reorder(1,0)"}});
}

void CheckSeeds(uint64_t begin, uint64_t end,
                const std::function<workload::Workload(base::Random&)>& make) {
  int ran = 0;
  for (uint64_t seed = begin; seed < end; ++seed) {
    base::Random random(seed);
    Case c{make(random), SmallTarget(random.Bernoulli(0.5) ? 1 : 2), {}, {}};
    c.options = RandomFix(c.workload, random);
    const auto space = SpaceOf(c.workload, c.target, c.options);
    c.wishes = WishesOf(Sampler(*space, seed).Uniform().decisions);
    bool this_ran = false;
    const std::string error = Check(c, &this_ran);
    ran += this_ran;
    if (error.empty()) continue;
    const Case small = Shrink(c);
    FAIL() << "seed " << seed << ", " << c.target.threads << " threads: " << error
           << "\nshrunk: " << Check(small) << "\n"
           << workload::Print(workload::CandidateFile{small.workload, CandidateOf(small)});
  }
  EXPECT_GE(ran, static_cast<int>(end - begin) * 9 / 10);
}

TEST(SpacePropertyTest, ConvolutionsComputeWhatTheNaiveEvaluationComputes) {
  CheckSeeds(0, 600, [](base::Random& random) {
    return workload::Workload{testing::RandomConv2d(random)};
  });
}

TEST(SpacePropertyTest, MatmulsComputeWhatTheNaiveEvaluationComputes) {
  CheckSeeds(10000, 10300, [](base::Random& random) {
    return workload::Workload{testing::RandomMatmul(random)};
  });
}

// Wide enough for blocks, tiles of several vectors and groups over lanes.
TEST(SpacePropertyTest, WideConvolutionsComputeWhatTheNaiveEvaluationComputes) {
  CheckSeeds(20000, 20080, [](base::Random& random) {
    workload::Conv2d conv{.ic = 16, .ih = 8, .iw = 8, .oc = 16, .kh = 3, .kw = 3};
    conv.groups = random.Choice(std::vector<int64_t>{1, 2, 8, 16});
    for (int i = 0; i < 2; ++i) {
      conv.stride[i] = random.UniformInt(1, 2);
      conv.pad_begin[i] = conv.pad_end[i] = 1;
    }
    return workload::Workload{conv};
  });
}

}  // namespace
}  // namespace alt::search
