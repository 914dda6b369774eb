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

}  // namespace alt::store
