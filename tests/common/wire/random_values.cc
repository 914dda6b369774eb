#include "tests/common/wire/random_values.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/check.h"

namespace alt::wire {
namespace {

int64_t RandomExtent(base::Random& random) { return random.UniformInt(1, 1 << 20); }

}  // namespace

workload::Candidate RandomCandidate(base::Random& random) {
  const auto candidate = workload::ParseCandidate(
      absl::StrCat(random.Bernoulli(0.5) ? "algorithm winograd(4,4)\n" : "", "layout x: split(1,",
                   random.UniformInt(2, 64), ") reorder(0,2,1)\nsplit(conv.h, ",
                   random.UniformInt(2, 64), ")\nunroll(conv.h.1)\n"));
  ALT_CHECK_OK(candidate);
  return *candidate;
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
  out.facts = {{.code_bytes = RandomExtent(random),
                .vector_fmas = RandomExtent(random),
                .vector_loads = RandomExtent(random),
                .spills = RandomExtent(random),
                .inner_loop_spills = RandomExtent(random)},
               RandomExtent(random)};
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
  out.id = RecordId(measure::KeyOf(out.workload, out.target, out.candidate));
  out.result = RandomResult(random, measure::Outcome::kOk);
  out.provenance = {.job = "j1",
                    .trial = random.UniformInt(1, 100),
                    .worker = "box/cpu:0",
                    .time = absl::FromUnixNanos(random.UniformInt(0, int64_t{1} << 60))};
  out.validators = {{"llvm", "19.1.7"}, {"cpu", "AMD EPYC"}};
  return out;
}

}  // namespace alt::wire
