// Values to store, made from a number: short, and different for different numbers.
#ifndef TESTS_TESTING_RECORDS_H_
#define TESTS_TESTING_RECORDS_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/store/tuning_store.h"

namespace alt::testing {

inline constexpr char kWorkloadText[] = "matmul:m=64,n=64,k=64,batch=1,dtype=f32";
inline constexpr char kTargetText[] = "cpu:mcpu=znver4,vec=512,threads=1";

inline std::string CandidateText(int64_t n) {
  return absl::StrCat("algorithm direct\nlayout a: split(1,", n, ")\nsplit(matmul.m, 4)\n");
}

inline measure::MeasureResult OkResult(double median_ns) {
  measure::MeasureResult result;
  result.outcome = measure::Outcome::kOk;
  result.latency = {{.min_ns = median_ns * 0.75, .median_ns = median_ns, .mad_ns = 1.5, .n = 7}};
  result.peak_gflops = 100.25;
  result.facts = {{.code_bytes = 1024, .vector_fmas = 96, .vector_loads = 12, .spills = 1}};
  result.seconds = {.build = 0.125, .check = 0.25, .run = 0.5, .wait = 0.0625};
  return result;
}

inline measure::MeasureResult FailedResult(measure::Outcome outcome) {
  measure::MeasureResult result;
  result.outcome = outcome;
  result.message = "it failed\nin two lines";
  return result;
}

inline measure::Provenance At(int64_t trial, const std::string& job = "j1") {
  return {.job = job,
          .trial = trial,
          .worker = "w0",
          .time = absl::FromUnixMicros(1767225600000000 + trial)};
}

// A measurement of candidate `n`, by trial `trial` of a job.
inline store::AddResult MeasuredAt(int64_t trial, int64_t n, measure::MeasureResult result,
                                   const std::string& job = "j1") {
  return {.place = {job, 0, trial},
          .result = std::move(result),
          .provenance = At(trial, job),
          .record = {{kWorkloadText, kTargetText, CandidateText(n)}},
          .validators = {{"llvm", "19.1.7"}, {"cpu", "a model"}}};
}
inline store::AddResult Measured(int64_t n, measure::MeasureResult result) {
  return MeasuredAt(n, n, std::move(result));
}

inline store::Job MakeJob(int64_t number) {
  store::Job job;
  job.id = absl::StrCat("j", number);
  job.request_id = absl::StrCat("request-", number);
  job.spec = job::TuneSpec{
      .workload = *workload::Parse(kWorkloadText),
      .target = *target::ParseTarget(kTargetText),
      .policy = "evolve",
      .time_limit = absl::Seconds(90),
      .seed = 0xfedcba9876543210,
      .fixed_layouts = {{"x", {}}, {"y", *layout::Parse("split(1,16) reorder(0,2,1)")}}};
  job.created = absl::FromUnixMicros(1767225600000000 + number);
  return job;
}

// The result of trial `trial` at its place.
inline store::AddResult ResultAt(int64_t batch, int64_t index, int64_t trial, double median_ns,
                                 const std::string& job = "j1") {
  return {.place = {job, batch, index},
          .result = OkResult(median_ns),
          .provenance = At(trial, job),
          .active = absl::Milliseconds(10 * trial),
          .record = {{kWorkloadText, kTargetText, CandidateText(trial)}}};
}

}  // namespace alt::testing

#endif  // TESTS_TESTING_RECORDS_H_
