// What `alt query` answers: the exact best, else the nearest workload's, else the default schedule.
#ifndef SERVER_JOB_QUERY_H_
#define SERVER_JOB_QUERY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/job/answer.h"
#include "server/store/tuning_store.h"

namespace alt::job {

// InvalidArgument when a fixed layout does not apply.
absl::StatusOr<Answer> FindBest(const store::TuningStore& store, const QuerySpec& query);

// "ic=64 instead of 96, pad=1x0 instead of 1": attributes of `other` that differ from `wanted`,
// both canonical texts.
std::string DescribeDifference(absl::string_view wanted, absl::string_view other);

}  // namespace alt::job

#endif  // SERVER_JOB_QUERY_H_
