// A Measurer without compiler, device or clock: the search, the dispatcher and the service run
// whole against it.
#ifndef TESTS_TESTING_FAKE_MEASURER_H_
#define TESTS_TESTING_FAKE_MEASURER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/measure/measurer.h"

namespace alt::testing {

// Latencies are a function of seed, workload and candidate text alone. The landscape can be
// searched: each number in the candidate's text has a best value of its own (a power of two, drawn
// by the seed), every factor of two away costs 10 %, and a small part of the latency is a hash, so
// that no two candidates tie.
//
// Safe from every thread.
class FakeMeasurer : public measure::Measurer {
 public:
  struct Options {
    uint64_t seed = 1;
    // FLOP/s of a perfect candidate and of the machine.
    double peak_gflops = 100;
    // This share of the candidates fails, chosen by hash, in these ways.
    double failure_rate = 0;
    std::vector<measure::Outcome> failures = {measure::Outcome::kCompileError,
                                              measure::Outcome::kCrashed,
                                              measure::Outcome::kWrongResult};
    // Measurements come out up to this share slower than the model, by another amount each time
    // that a candidate is measured; the n-th time always by the same.
    double noise = 0;
    // Replaces the model when set.
    std::function<double(const workload::Workload&, const workload::Candidate&)> latency_ns;
  };

  FakeMeasurer() : FakeMeasurer(Options{}) {}
  explicit FakeMeasurer(Options options) : options_(std::move(options)) {}

  // From now on this candidate ends so.
  void Fail(const workload::Candidate& candidate, measure::Outcome outcome, std::string message);

  std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                              absl::FunctionRef<bool()> cancelled) override;

  // What the model says, without noise.
  double ModelLatencyNs(const workload::Workload& workload,
                        const workload::Candidate& candidate) const;

  // Everything that was asked for, oldest first.
  std::vector<measure::MeasureRequest> requests() const;
  // Candidates measured, repetitions counted.
  int64_t measured() const;

 private:
  measure::MeasureResult MeasureOne(const measure::MeasureRequest& request,
                                    const workload::Candidate& candidate);
  // Absent when the candidate is good.
  std::optional<std::pair<measure::Outcome, std::string>> FailureOf(const std::string& text) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  mutable absl::Mutex mutex_;
  std::map<std::string, std::pair<measure::Outcome, std::string>> failures_
      ABSL_GUARDED_BY(mutex_);  // by candidate text
  std::map<std::string, int64_t> times_measured_ ABSL_GUARDED_BY(mutex_);
  std::vector<measure::MeasureRequest> requests_ ABSL_GUARDED_BY(mutex_);
  int64_t measured_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Loses every comparison, and nothing else.
class NoComparison : public measure::Measurer {
 public:
  std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                              absl::FunctionRef<bool()> cancelled) override {
    if (request.mode != measure::MeasureMode::kCompare) return inner_.Measure(request, cancelled);
    measure::MeasureResult lost;
    lost.outcome = measure::Outcome::kWorkerLost;
    return std::vector<measure::MeasureResult>(request.candidates.size(), lost);
  }

 private:
  FakeMeasurer inner_;
};

// Says of the first `disturbed` comparisons that others disturbed them; latencies in these are so
// many times what they should be.
class BusyHost : public measure::Measurer {
 public:
  BusyHost(int disturbed, double factor) : disturbed_(disturbed), factor_(factor) {}

  std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                              absl::FunctionRef<bool()> cancelled) override {
    std::vector<measure::MeasureResult> results = inner_.Measure(request, cancelled);
    if (request.mode != measure::MeasureMode::kCompare || comparisons_++ >= disturbed_) {
      return results;
    }
    for (measure::MeasureResult& result : results) {
      result.disturbed = true;
      if (result.latency) result.latency->median_ns *= factor_;
    }
    return results;
  }

 private:
  FakeMeasurer inner_;
  const int disturbed_;
  const double factor_;
  int comparisons_ = 0;
};

}  // namespace alt::testing

#endif  // TESTS_TESTING_FAKE_MEASURER_H_
