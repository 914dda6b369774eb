// How far a job is, and what came of it.
#ifndef COMMON_JOB_JOB_PROGRESS_H_
#define COMMON_JOB_JOB_PROGRESS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/job/answer.h"
#include "common/measure/environment.h"
#include "common/measure/measure_result.h"
#include "common/workload/candidate.h"

namespace alt::job {

// A trial that is better than all before it.
struct CurvePoint {
  int64_t trial = 0;   // from 1
  double seconds = 0;  // of running until then
  double best_ns = 0;
};

struct BestCandidate {
  std::string record;  // id; empty while none is stored
  workload::Candidate candidate;
  measure::Latency latency;
  std::optional<double> peak_gflops;  // FMA loop timed in turns with it
};

struct TuneProgress {
  int64_t trials = 0;
  int64_t proposals = 0;
  std::map<measure::Outcome, int64_t> outcomes;  // adds up to trials
  double wall_seconds = 0;                       // of running
  double propose_seconds = 0;
  measure::PhaseSeconds seconds;  // of all measurements; several workers add up
  std::optional<BestCandidate> best;
  std::optional<measure::Latency> default_latency;
  std::vector<CurvePoint> curve;
  std::optional<measure::Peak> machine_peak;
};

struct BenchProgress {
  AnswerSource source = AnswerSource::kDefault;
  std::string reason;  // why not a better source
  std::string record;  // id; empty when it has none
  workload::Candidate candidate;
  std::optional<measure::MeasureResult> result;  // once done
};

struct PeakProgress {
  std::optional<measure::Peak> peak;  // once done
};

}  // namespace alt::job

#endif  // COMMON_JOB_JOB_PROGRESS_H_
