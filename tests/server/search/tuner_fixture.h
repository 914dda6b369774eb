// Runs a tuner against a measurer, in one thread, without a service.
#ifndef TESTS_SERVER_SEARCH_TUNER_FIXTURE_H_
#define TESTS_SERVER_SEARCH_TUNER_FIXTURE_H_

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "server/search/tuner.h"
#include "tests/server/search/space_fixture.h"
#include "tests/testing/fake_measurer.h"

namespace alt::search {

inline TuningTask TaskOf(const std::string& workload, int64_t trials, uint64_t seed = 1) {
  TuningTask task;
  task.workload = WorkloadOf(workload);
  task.target = Avx512();
  task.trials = trials;
  task.seed = seed;
  return task;
}

inline std::unique_ptr<Tuner> TunerOf(TuningTask task) {
  auto tuner = Tuner::Create(std::move(task));
  ALT_CHECK_OK(tuner);
  return *std::move(tuner);
}

inline std::vector<measure::MeasureResult> Measure(const TuningTask& task, const Batch& batch,
                                                   measure::Measurer& measurer) {
  measure::MeasureRequest request;
  request.workload = task.workload;
  request.target = task.target;
  request.candidates = batch.candidates;
  request.mode = batch.mode;
  request.cache = task.cache;
  request.incumbent_ns = batch.incumbent_ns;
  return measurer.Measure(request, [] { return false; });
}

// What a tuner did from its creation until it was done.
struct TunerRun {
  std::vector<Batch> batches;
  size_t most_in_flight = 0;
  absl::StatusOr<TuningSummary> summary = absl::UnknownError("not run");

  std::vector<std::string> Candidates(BatchKind kind) const {
    std::vector<std::string> texts;
    for (const Batch& batch : batches) {
      if (batch.kind != kind) continue;
      for (const workload::Candidate& c : batch.candidates) texts.push_back(workload::Print(c));
    }
    return texts;
  }
  std::vector<std::string> Trials() const { return Candidates(BatchKind::kTrials); }
  int64_t CountOf(BatchKind kind) const {
    return std::count_if(batches.begin(), batches.end(),
                         [kind](const Batch& batch) { return batch.kind == kind; });
  }
};

// `after` is called after each observation.
inline TunerRun Tune(Tuner& tuner, const TuningTask& task, measure::Measurer& measurer,
                     const std::function<void(Tuner&)>& after = nullptr) {
  TunerRun run;
  std::deque<Batch> in_flight;
  while (!tuner.done()) {
    while (auto batch = tuner.Next()) {
      in_flight.push_back(*batch);
      run.batches.push_back(*std::move(batch));
    }
    run.most_in_flight = std::max(run.most_in_flight, in_flight.size());
    ALT_CHECK(!in_flight.empty()) << "the tuner waits for nothing";
    const Batch batch = in_flight.front();
    in_flight.pop_front();
    ALT_CHECK_OK(tuner.Observe(batch.number, Measure(task, batch, measurer)));
    if (after) after(tuner);
  }
  run.summary = tuner.Summary();
  return run;
}

inline TunerRun Tune(const TuningTask& task, measure::Measurer& measurer,
                     const std::function<void(Tuner&)>& after = nullptr) {
  return Tune(*TunerOf(task), task, measurer, after);
}

}  // namespace alt::search

#endif  // TESTS_SERVER_SEARCH_TUNER_FIXTURE_H_
