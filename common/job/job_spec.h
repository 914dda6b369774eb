// What somebody asks a server for.
#ifndef COMMON_JOB_JOB_SPEC_H_
#define COMMON_JOB_JOB_SPEC_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/layout/layout.h"
#include "common/measure/measurer.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

namespace alt::job {

// Layouts that the caller's tensors have, by tensor; one without primitives is plain. The text,
// which --fix takes too, is
//
//   fixed layouts ::= [ tensor "=" layout { "," tensor "=" layout } ]     a plain layout is "plain"
using FixedLayouts = std::map<std::string, layout::Layout>;
std::string PrintFixedLayouts(const FixedLayouts& layouts);
// InvalidArgument names the entry. Whether the tensors are there, and whether the layouts apply to
// them, is for others to say.
absl::StatusOr<FixedLayouts> ParseFixedLayouts(absl::string_view text);
// The same in other words for a layout, which `read` knows.
using ReadLayout = absl::FunctionRef<absl::StatusOr<layout::Layout>(absl::string_view tensor,
                                                                    absl::string_view layout)>;
absl::StatusOr<FixedLayouts> ParseFixedLayouts(absl::string_view text, ReadLayout read);

inline constexpr int64_t kMaxTrials = 1'000'000;
inline constexpr int64_t kMaxRefresh = 16;

struct TuneSpec {
  workload::Workload workload;
  target::Target target;
  std::string policy;                        // empty: the server's default
  int64_t trials = 128;                      // 1 to kMaxTrials; 0 where records are refreshed
  int64_t patience = 0;                      // at most kMaxTrials; 0: never
  std::optional<absl::Duration> time_limit;  // none: never
  uint64_t seed = 1;
  bool loops_only = false;  // layouts stay those of the default schedule
  // So many of the fastest records that were measured under other facts than the worker's
  // (measure::Validators) are compared with the finalists; at most kMaxRefresh.
  int64_t refresh = 0;
  FixedLayouts fixed_layouts;
  measure::CacheState cache = measure::CacheState::kWarm;
  friend bool operator==(const TuneSpec&, const TuneSpec&) = default;
};

struct BenchSpec {
  workload::Workload workload;
  target::Target target;
  std::optional<workload::Candidate> candidate;  // none: what a query answers
  FixedLayouts fixed_layouts;
  measure::CacheState cache = measure::CacheState::kWarm;
  friend bool operator==(const BenchSpec&, const BenchSpec&) = default;
};

struct PeakSpec {
  target::Target target;
  friend bool operator==(const PeakSpec&, const PeakSpec&) = default;
};

using JobSpec = std::variant<TuneSpec, BenchSpec, PeakSpec>;
absl::string_view KindName(const JobSpec& spec);  // "tune", "bench", "peak"
const target::Target& TargetOf(const JobSpec& spec);

}  // namespace alt::job

#endif  // COMMON_JOB_JOB_SPEC_H_
