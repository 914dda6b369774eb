// What tests of jobs share: a store in memory, a fake measurer, and a small job.
#ifndef TESTS_SERVER_JOB_JOB_FIXTURE_H_
#define TESTS_SERVER_JOB_JOB_FIXTURE_H_

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/base/check.h"
#include "server/store/memory_tuning_store.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/fake_measurer.h"
#include "tests/testing/job_loop.h"

namespace alt::job {

inline store::JobSpec SmallSpec(int64_t trials = 24, uint64_t seed = 1) {
  store::JobSpec spec;
  spec.workload = workload::Print(*workload::Parse("matmul:m=64,n=96,k=48"));
  spec.target = "cpu:mcpu=znver4,vec=512,threads=1";
  spec.policy = "evolve";
  spec.trials = trials;
  spec.seed = seed;
  return spec;
}

// A world of its own: store, measurer, clock and the loop that runs jobs in it.
struct World {
  explicit World(testing::FakeMeasurer::Options measured = {},
                 testing::JobLoop::Options options = {})
      : measurer(std::move(measured)), loop(*store, measurer, clock, options) {}

  // Runs a job to its end.
  store::Job Run(const store::JobSpec& spec) {
    const std::string id = loop.Create(spec);
    ALT_CHECK_OK(loop.Begin(id));
    ALT_CHECK(loop.Finish()) << "the job does not end";
    return Stored(id);
  }

  store::Job Stored(const std::string& id) const {
    auto job = store->GetJob(id);
    ALT_CHECK_OK(job);
    return *std::move(job);
  }
  store::JobLog Log(const std::string& id) const {
    auto log = store->ReadLog(id);
    ALT_CHECK_OK(log);
    return *std::move(log);
  }

  const std::unique_ptr<store::TuningStore> store = store::MakeMemoryTuningStore();
  testing::FakeMeasurer measurer;
  testing::FakeClock clock;
  testing::JobLoop loop;
};

template <typename Event>
std::vector<Event> EventsOf(const store::JobLog& log) {
  std::vector<Event> events;
  for (const store::LogEvent& event : log.events) {
    if (const auto* found = std::get_if<Event>(&event)) events.push_back(*found);
  }
  return events;
}

}  // namespace alt::job

#endif  // TESTS_SERVER_JOB_JOB_FIXTURE_H_
