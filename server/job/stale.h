#ifndef SERVER_JOB_STALE_H_
#define SERVER_JOB_STALE_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "common/job/answer.h"
#include "common/measure/tuning_record.h"
#include "server/store/tuning_store.h"

namespace alt::job {

// What the workers of a target vouch for; empty where there is none.
using FactsOfTarget =
    absl::FunctionRef<std::vector<measure::Validators>(const target::Target& target)>;

// The answers of the database that no worker of their target vouches for.
StaleReport FindStale(const store::TuningStore& store, FactsOfTarget facts_of);

}  // namespace alt::job

#endif  // SERVER_JOB_STALE_H_
