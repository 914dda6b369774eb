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
#include "tests/testing/job_driver.h"

namespace alt::job {

inline TuneSpec SmallSpec(int64_t trials = 24, uint64_t seed = 1) {
  return {.workload = *workload::Parse("matmul:m=64,n=96,k=48"),
          .target = *target::ParseTarget("cpu:mcpu=znver4,vec=512,threads=1"),
          .policy = "evolve",
          .trials = trials,
          .seed = seed};
}

// A world of its own: store, measurer, clock and the driver that runs jobs in it.
struct World {
  explicit World(testing::FakeMeasurer::Options measured = {},
                 testing::JobDriver::Options options = {})
      : measurer(std::move(measured)), driver(*store, measurer, clock, options) {}

  // Runs a job to its end.
  store::Job Run(const TuneSpec& spec) {
    const std::string id = driver.Create(spec);
    ALT_CHECK_OK(driver.Begin(id));
    ALT_CHECK(driver.Finish()) << "the job does not end";
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
  testing::JobDriver driver;
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
