#include "server/store/job.h"

namespace alt::store {

absl::string_view JobKindName(JobKind kind) {
  switch (kind) {
    case JobKind::kTune:
      return "tune";
    case JobKind::kBench:
      return "bench";
    case JobKind::kPeak:
      return "peak";
  }
  return "unknown";
}

std::optional<JobKind> ParseJobKind(absl::string_view name) {
  for (const auto kind : {JobKind::kTune, JobKind::kBench, JobKind::kPeak}) {
    if (JobKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

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

}  // namespace alt::store
