#include "tests/common/wire/random_values.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/check.h"

namespace alt::wire {
namespace {

std::string RandomName(base::Random& random) {
  static const std::vector<std::string> kNames = {"conv", "pad", "conv.h", "o.1", "n_h", "w.0.1"};
  return random.Choice(kNames);
}

std::vector<std::string> RandomNames(base::Random& random) {
  std::vector<std::string> out(random.Uniform(5) + 2);
  for (std::string& name : out) name = RandomName(random);
  return out;
}

std::vector<int64_t> RandomFactors(base::Random& random) {
  std::vector<int64_t> out(random.Uniform(3) + 1);
  for (int64_t& factor : out) factor = random.UniformInt(1, 64);
  return out;
}

int RandomDim(base::Random& random) { return static_cast<int>(random.Uniform(8)); }
int64_t RandomExtent(base::Random& random) { return random.UniformInt(1, 1 << 20); }

}  // namespace

layout::Primitive RandomPrimitive(base::Random& random, size_t alternative) {
  const int dim = RandomDim(random);
  switch (alternative) {
    case 0:
      return layout::Split{.dim = dim, .factors = RandomFactors(random)};
    case 1: {
      std::vector<int> perm(random.Uniform(6) + 1);
      std::iota(perm.begin(), perm.end(), 0);
      random.Shuffle(perm);
      return layout::Reorder{.perm = perm};
    }
    case 2:
      return layout::Fuse{.first = dim, .last = dim + RandomDim(random)};
    case 3:
      return layout::Unfold{
          .dim = dim, .size = RandomExtent(random), .stride = RandomExtent(random)};
    case 4:
      return layout::Pad{.dim = dim, .before = RandomDim(random), .after = RandomDim(random)};
    case 5:
      return layout::Fold{.dim = dim,
                          .size = RandomExtent(random),
                          .stride = RandomExtent(random),
                          .extent = RandomExtent(random)};
    case 6:
      return layout::Unpad{.dim = dim, .before = RandomDim(random), .after = RandomDim(random)};
  }
  ALT_CHECK(false) << "a primitive without a random value: " << alternative;
  return {};
}

layout::Layout RandomLayout(base::Random& random) {
  layout::Layout out;
  for (uint64_t n = random.Uniform(5); n > 0; --n) {
    out.primitives.push_back(
        RandomPrimitive(random, random.Uniform(std::variant_size_v<layout::Primitive>)));
  }
  return out;
}

schedule::Instruction RandomInstruction(base::Random& random, size_t alternative) {
  const std::string stage = RandomName(random), axis = RandomName(random);
  switch (alternative) {
    case 0:
      return schedule::Split{.stage = stage, .axis = axis, .factors = RandomFactors(random)};
    case 1:
      return schedule::Fuse{.stage = stage, .axes = RandomNames(random)};
    case 2:
      return schedule::Reorder{.stage = stage, .axes = RandomNames(random)};
    case 3:
      return schedule::ComputeAt{
          .stage = stage, .target_stage = RandomName(random), .target_axis = axis};
    case 4:
      return schedule::Inline{.stage = stage};
    case 5:
      return schedule::Parallel{.stage = stage, .axis = axis};
    case 6:
      return schedule::Vectorize{.stage = stage, .axis = axis, .lanes = random.UniformInt(0, 16)};
    case 7:
      return schedule::Unroll{.stage = stage, .axis = axis};
    case 8:
      return schedule::Prefetch{.stage = stage,
                                .axis = axis,
                                .tensor = RandomName(random),
                                .distance = random.UniformInt(1, 64)};
  }
  ALT_CHECK(false) << "an instruction without a random value: " << alternative;
  return {};
}

workload::Candidate RandomCandidate(base::Random& random) {
  workload::Candidate out;
  if (random.Bernoulli(0.5)) out.algorithm.rewrites = {workload::Winograd{4, 4}};
  for (const char* tensor : {"x", "w", "y"}) {
    if (random.Bernoulli(0.7)) out.layouts[tensor] = RandomLayout(random);
  }
  for (uint64_t n = random.Uniform(10); n > 0; --n) {
    out.trace.instructions.push_back(
        RandomInstruction(random, random.Uniform(std::variant_size_v<schedule::Instruction>)));
  }
  return out;
}

workload::Workload RandomWorkload(base::Random& random) {
  const auto extent = [&] { return random.UniformInt(1, 64); };
  if (random.Bernoulli(0.5)) {
    return {workload::Matmul{.m = extent(),
                             .n = extent(),
                             .k = extent(),
                             .batch = extent(),
                             .trans_a = random.Bernoulli(0.5),
                             .trans_b = random.Bernoulli(0.5),
                             .const_b = random.Bernoulli(0.5)}};
  }
  workload::Conv2d conv{.n = extent(), .ih = 40, .iw = 41, .kh = 3, .kw = 2};
  conv.groups = random.UniformInt(1, 4);
  conv.ic = conv.groups * extent();
  conv.oc = conv.groups * extent();
  for (int axis = 0; axis < 2; ++axis) {
    conv.stride[axis] = random.UniformInt(1, 3);
    conv.dilation[axis] = random.UniformInt(1, 3);
    conv.pad_begin[axis] = random.UniformInt(0, 1);
    conv.pad_end[axis] = random.UniformInt(0, 1);
  }
  return {conv};
}

target::Target RandomTarget(base::Random& random) {
  static const std::vector<std::string> kTexts = {"cpu:mcpu=znver4,vec=512,threads=1",
                                                  "cpu:mcpu=skylake,vec=256,threads=64",
                                                  "cuda:sm_90", "opencl:pocl"};
  const auto target = target::ParseTarget(random.Choice(kTexts));
  ALT_CHECK_OK(target.status());
  return *target;
}

measure::MeasureResult RandomResult(base::Random& random, measure::Outcome outcome) {
  measure::MeasureResult out;
  out.outcome = outcome;
  if (outcome == measure::Outcome::kOk) {
    const double min = 1 + 1e6 * random.UnitDouble();
    out.latency = measure::Latency{.min_ns = min,
                                   .median_ns = min * (1 + random.UnitDouble()),
                                   .mad_ns = min / 100,
                                   .n = random.UniformInt(1, 100)};
    out.censored = random.Bernoulli(0.5);
    out.disturbed = random.Bernoulli(0.5);
    if (random.Bernoulli(0.5)) out.peak_gflops = 100 * random.UnitDouble();
  } else {
    out.message = "because";
  }
  out.facts = {.code_bytes = RandomExtent(random),
               .vector_fmas = RandomExtent(random),
               .vector_loads = RandomExtent(random),
               .spills = RandomExtent(random),
               .inner_loop_spills = RandomExtent(random),
               .workspace_bytes = RandomExtent(random)};
  // Sums of halves, so that nanoseconds hold them.
  out.seconds = {.build = 0.5, .check = 1.5, .run = 0.25, .wait = double(random.Uniform(9))};
  return out;
}

measure::MeasureRequest RandomRequest(base::Random& random) {
  measure::MeasureRequest out{.workload = RandomWorkload(random), .target = RandomTarget(random)};
  for (uint64_t n = random.Uniform(4); n > 0; --n) {
    out.candidates.push_back(RandomCandidate(random));
  }
  out.mode = random.Bernoulli(0.5) ? measure::MeasureMode::kSearch : measure::MeasureMode::kCompare;
  out.cache = static_cast<measure::CacheState>(random.Uniform(3));
  if (random.Bernoulli(0.5)) out.incumbent_ns = 1 + random.UnitDouble();
  out.limits.compile = absl::Milliseconds(random.UniformInt(1, 10000));
  return out;
}

measure::TuningRecord RandomRecord(base::Random& random) {
  measure::TuningRecord out;
  out.workload = RandomWorkload(random);
  out.target = RandomTarget(random);
  out.candidate = RandomCandidate(random);
  out.id = measure::RecordId(out.workload, out.target, out.candidate);
  out.result = RandomResult(random, measure::Outcome::kOk);
  out.provenance = {.job = "j1",
                    .trial = random.UniformInt(1, 100),
                    .worker = "box/cpu:0",
                    .time = absl::FromUnixNanos(random.UniformInt(0, int64_t{1} << 60))};
  out.validators = {{"llvm", "19.1.7"}, {"cpu", "AMD EPYC"}};
  return out;
}

}  // namespace alt::wire
