#ifndef SERVER_SEARCH_TUNER_H_
#define SERVER_SEARCH_TUNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/job/job_spec.h"
#include "common/measure/measurer.h"
#include "common/workload/candidate.h"

namespace alt::search {

inline constexpr char kDefaultPolicy[] = "evolve";

// What a job asks for, and what that meets. Pure data; it determines every proposal.
struct TuningTask : job::TuneSpec {
  // Facts of the worker kind that the space depends on.
  int64_t l1_bytes = 32 << 10;
  int64_t l2_bytes = 1 << 20;

  // Answers of the database when the job started, same workload and target: memory of what was
  // measured already. They are no trials and are never proposed as trials again. Those in other
  // layouts than the fixed ones are passed over.
  struct Known {
    workload::Candidate candidate;
    measure::MeasureResult result;
  };
  std::vector<Known> known;
  std::optional<workload::Candidate>
      incumbent;  // confirmed best of the database: joins the finalists
  // Answers that nothing vouches for any more, to be measured again: they join the finalists.
  std::vector<workload::Candidate> stale;
};

// kBaseline: candidate 0, the default schedule, first and last; not a trial.
// kTrials: new candidates, each counts.
// kFinalists: kCompare of the best few with candidate 0 and the incumbent; no trials. Again, a few
// times, while its results say that others disturbed it.
enum class BatchKind : uint8_t { kBaseline, kTrials, kFinalists };

struct Batch {
  int64_t number = 0;  // from 0, in order of proposal
  BatchKind kind = BatchKind::kTrials;
  std::vector<workload::Candidate> candidates;
  std::optional<double> incumbent_ns;
  measure::MeasureMode mode = measure::MeasureMode::kSearch;
};

// The verdict once done.
struct TuningSummary {
  workload::Candidate best;
  measure::Latency best_latency;                    // from the finalists
  std::optional<double> best_peak_gflops;           // FMA loop in turns with the finalists
  std::optional<measure::Latency> default_latency;  // candidate 0 in the same comparison
  // The batch whose results say so; absent when none of the finalists could be timed: the best is
  // then that of the trials.
  std::optional<int64_t> comparison;
  bool disturbed = false;  // others used the host in that comparison, and in all before it
  int64_t trials = 0;
  int64_t proposals = 0;
};

// A tuner is a state machine without threads, clock or I/O: push whole batches of results in the
// order proposed, pull the next batch. Same task and same results: same proposals.
//
//   while (!tuner.done()) {
//     while (auto batch = tuner.Next()) send(*batch);      // at most two in flight
//     tuner.Observe(number, results);                      // oldest first
//   }
class Tuner {
 public:
  // InvalidArgument for an unknown policy or a fixed layout that does not apply.
  static absl::StatusOr<std::unique_ptr<Tuner>> Create(TuningTask task);
  virtual ~Tuner() = default;

  // The next batch; nullopt when two are in flight, when it must wait for results, or when done.
  virtual std::optional<Batch> Next() = 0;
  // Results of the oldest batch in flight, one for each candidate in order. InvalidArgument on a
  // wrong number or count.
  virtual absl::Status Observe(int64_t batch_number,
                               const std::vector<measure::MeasureResult>& results) = 0;
  // Stop proposing trials (time limit, Ctrl-C): goes on to the finalists with what there is.
  virtual void FinishEarly() = 0;
  virtual bool done() const = 0;
  // Meaningful when done; FailedPrecondition when nothing was ever OK, with a table of reasons.
  virtual absl::StatusOr<TuningSummary> Summary() const = 0;
};

}  // namespace alt::search

#endif  // SERVER_SEARCH_TUNER_H_
