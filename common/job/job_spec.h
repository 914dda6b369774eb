// What somebody asks a server for.
#ifndef COMMON_JOB_JOB_SPEC_H_
#define COMMON_JOB_JOB_SPEC_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "absl/time/time.h"
#include "common/layout/layout.h"
#include "common/measure/modes.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

namespace alt::job {

// Layouts that the caller's tensors have (--fix), by tensor; an entry without primitives is plain.
using FixedLayouts = std::map<std::string, layout::Layout>;

struct TuneSpec {
  workload::Workload workload;
  target::Target target;
  std::string policy;  // empty: the server's default
  int64_t trials = 128;
  int64_t patience = 0;                      // 0: never
  std::optional<absl::Duration> time_limit;  // none: never
  uint64_t seed = 1;
  bool loops_only = false;
  FixedLayouts fixed_layouts;
  measure::CacheState cache = measure::CacheState::kWarm;
};

struct BenchSpec {
  workload::Workload workload;
  target::Target target;
  std::optional<workload::Candidate> candidate;  // none: what a query answers
  FixedLayouts fixed_layouts;
  measure::CacheState cache = measure::CacheState::kWarm;
};

struct PeakSpec {
  target::Target target;
};

using JobSpec = std::variant<TuneSpec, BenchSpec, PeakSpec>;

}  // namespace alt::job

#endif  // COMMON_JOB_JOB_SPEC_H_
