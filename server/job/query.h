// What `alt query` answers: the exact best, else the nearest workload's, else the default schedule.
#ifndef SERVER_JOB_QUERY_H_
#define SERVER_JOB_QUERY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/job/answer.h"
#include "server/store/tuning_store.h"

namespace alt::job {

// A record is an exact answer when it was measured under the facts (measure::ValidatorsOf) that
// count here: those of the query, else those of one of the target's `workers`, else, while no
// worker is there, those of the newest measurement for the target. Otherwise the answer is
// `nearest` and says what differs. Nearest are, in this order: the same workload under other facts,
// with another number of threads, for another target if the query allows it, and similar workloads.
// InvalidArgument when a fixed layout does not apply.
absl::StatusOr<Answer> FindBest(const store::TuningStore& store, const QuerySpec& query,
                                const std::vector<measure::Validators>& workers = {});

// "ic=64 instead of 96, pad=1x0 instead of 1": attributes of `other` that differ from `wanted`,
// both canonical texts.
std::string DescribeDifference(absl::string_view wanted, absl::string_view other);

}  // namespace alt::job

#endif  // SERVER_JOB_QUERY_H_
