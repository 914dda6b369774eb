#ifndef COMMON_MEASURE_JOB_STATE_H_
#define COMMON_MEASURE_JOB_STATE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace alt::measure {

// queued -> running -> succeeded | failed | stopped; failed and stopped may become queued again.
enum class JobState : uint8_t { kQueued, kRunning, kSucceeded, kFailed, kStopped };
absl::string_view JobStateName(JobState state);  // "queued", ...
std::optional<JobState> ParseJobState(absl::string_view name);
// Succeeded, failed or stopped: nothing happens until somebody resumes it.
inline bool Rests(JobState state) { return state >= JobState::kSucceeded; }

}  // namespace alt::measure

#endif  // COMMON_MEASURE_JOB_STATE_H_
