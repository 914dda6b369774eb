#include "common/job/job.h"

namespace alt::job {

absl::string_view JobStateName(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return "queued";
    case JobState::kRunning:
      return "running";
    case JobState::kSucceeded:
      return "succeeded";
    case JobState::kFailed:
      return "failed";
    case JobState::kStopped:
      return "stopped";
  }
  return "unknown";
}

std::optional<JobState> ParseJobState(absl::string_view name) {
  for (const auto state : {JobState::kQueued, JobState::kRunning, JobState::kSucceeded,
                           JobState::kFailed, JobState::kStopped}) {
    if (JobStateName(state) == name) return state;
  }
  return std::nullopt;
}

JobProgress NoProgress(const JobSpec& spec) {
  struct Visitor {
    JobProgress operator()(const TuneSpec&) const { return TuneProgress(); }
    JobProgress operator()(const BenchSpec&) const { return BenchProgress(); }
    JobProgress operator()(const PeakSpec&) const { return PeakProgress(); }
  };
  return std::visit(Visitor(), spec);
}

}  // namespace alt::job
