// How far a job is, and what came of it.
#ifndef COMMON_JOB_JOB_PROGRESS_H_
#define COMMON_JOB_JOB_PROGRESS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/job/answer.h"
#include "common/job/job_spec.h"
#include "common/measure/environment.h"
#include "common/measure/measure_result.h"
#include "common/workload/candidate.h"

namespace alt::job {

// A trial that is better than all before it.
struct CurvePoint {
  int64_t trial = 0;   // from 1
  double seconds = 0;  // of running until then
  double best_ns = 0;
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

struct BestCandidate {
  std::string record;  // id
  workload::Candidate candidate;
  measure::Latency latency;
  std::optional<double> peak_gflops;  // FMA loop timed in turns with it
  friend bool operator==(const BestCandidate&, const BestCandidate&) = default;
};

struct TuneProgress {
  int64_t trials = 0;
  int64_t proposals = 0;
  std::map<measure::Outcome, int64_t> outcomes;  // of the trials; adds up to them
  double propose_seconds = 0;
  measure::PhaseSeconds seconds;  // of all measurements; several workers add up
  std::optional<BestCandidate> best;
  std::optional<measure::Latency> default_latency;
  bool disturbed = false;  // others used the host in every comparison: the verdict may be wrong
  std::vector<CurvePoint> curve;
  std::optional<measure::Peak> machine_peak;  // of a machine that serves the target now
  friend bool operator==(const TuneProgress&, const TuneProgress&) = default;
};

struct BenchProgress {
  std::optional<Answer> answer;                  // what is timed, once it is chosen
  std::optional<measure::MeasureResult> result;  // once done
  friend bool operator==(const BenchProgress&, const BenchProgress&) = default;
};

struct PeakProgress {
  std::optional<measure::Peak> peak;  // once done
  friend bool operator==(const PeakProgress&, const PeakProgress&) = default;
};

using JobProgress = std::variant<TuneProgress, BenchProgress, PeakProgress>;
// Of a job of this kind that has done nothing yet.
JobProgress NoProgress(const JobSpec& spec);

}  // namespace alt::job

#endif  // COMMON_JOB_JOB_PROGRESS_H_
