// What `alt query` answers: the exact best, else the nearest workload's, else the default schedule.
#ifndef SERVER_SERVICE_QUERY_H_
#define SERVER_SERVICE_QUERY_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/measure/measure_result.h"
#include "common/measure/modes.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"
#include "server/store/tuning_store.h"

namespace alt::service {

struct BestQuery {
  workload::Workload workload;
  target::Target target;
  std::map<std::string, std::string> fixed_layouts;  // by tensor; "" is plain
  measure::CacheState cache = measure::CacheState::kWarm;
  bool any_target = false;
};

struct BestResult {
  enum class Source { kExact, kNearest, kDefault };
  Source source = Source::kDefault;
  std::string reason;  // why not a better source
  std::string record;  // id; "" for the default
  workload::Candidate candidate;
  std::optional<measure::Latency> latency;  // exact only
  std::optional<double> peak_gflops;
};

// InvalidArgument when a fixed layout does not apply.
absl::StatusOr<BestResult> FindBest(const store::TuningStore& store, const BestQuery& query);

// "ic=64 instead of 96, pad=1x0 instead of 1": attributes of `other` that differ from `wanted`,
// both canonical texts.
std::string DescribeDifference(absl::string_view wanted, absl::string_view other);

}  // namespace alt::service

#endif  // SERVER_SERVICE_QUERY_H_
