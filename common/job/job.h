// A job, as client and server speak of it.
#ifndef COMMON_JOB_JOB_H_
#define COMMON_JOB_JOB_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/job/job_progress.h"
#include "common/job/job_spec.h"

namespace alt::job {

// queued -> running -> succeeded | failed | stopped; failed and stopped may become queued again.
enum class JobState : uint8_t { kQueued, kRunning, kSucceeded, kFailed, kStopped };
absl::string_view JobStateName(JobState state);  // "queued", ...
std::optional<JobState> ParseJobState(absl::string_view name);
// Succeeded, failed or stopped: nothing happens until somebody resumes it.
inline bool Rests(JobState state) { return state >= JobState::kSucceeded; }

struct Job {
  // Set when it is created.
  std::string id;  // "j12"
  JobSpec spec;
  absl::Time created;
  // Changes.
  JobState state = JobState::kQueued;
  std::string reason;     // why it waits, failed or was stopped
  absl::Duration active;  // time of running so far
  JobProgress progress;   // of the spec's kind
  int workers = 0;        // that hold a lease of it now
  std::string activity;   // "computing the reference": what takes a worker long now, or nothing
  friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace alt::job

#endif  // COMMON_JOB_JOB_H_
