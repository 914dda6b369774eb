#include "client/include/alt/job.h"

namespace alt::client {

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

absl::string_view AnswerSourceName(AnswerSource source) {
  switch (source) {
    case AnswerSource::kExact:
      return "exact";
    case AnswerSource::kNearest:
      return "nearest";
    case AnswerSource::kDefault:
      return "default";
    case AnswerSource::kGiven:
      return "given";
  }
  return "unknown";
}

}  // namespace alt::client
