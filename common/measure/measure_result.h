#ifndef COMMON_MEASURE_MEASURE_RESULT_H_
#define COMMON_MEASURE_MEASURE_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "common/runtime/artifact.h"

namespace alt::measure {

// What became of a candidate (docs/measurement.md#what-can-go-wrong). Everything but kOk is a
// Failure of the candidate or its surroundings, never an error of ours. The wire enum has the same
// order, after UNSPECIFIED.
enum class Outcome : uint8_t {
  kOk,
  kRejected,  // static check of the machine code, such as spills, or a trace that does not apply
  kCompileError,
  kCompileTimeout,
  kRunTimeout,
  kCrashed,
  kOomHost,
  kOomDevice,
  kSandboxDenied,
  kWrongResult,
  kImplausible,  // faster than physics allows
  kDeviceLost,
  kWorkerLost,
  kCancelled,
};
absl::string_view OutcomeName(Outcome outcome);  // "OK", "RUN_TIMEOUT", ...
std::optional<Outcome> ParseOutcome(absl::string_view name);

// Statistics of timing, in nanoseconds a run of the kernel.
struct Latency {
  double min_ns = 0;
  double median_ns = 0;
  double mad_ns = 0;  // median absolute deviation
  int64_t n = 0;      // batches timed
  friend bool operator==(const Latency&, const Latency&) = default;
};
// The "±" that goes with median_ns: half the width of its 95 % confidence interval.
double PlusMinusNs(const Latency& latency);

// Facts of the lowered program and its machine code, for the record and the cost model.
struct ProgramFacts : runtime::CodeFacts {
  int64_t workspace_bytes = 0;  // for each thread
  friend bool operator==(const ProgramFacts&, const ProgramFacts&) = default;
};

// Where the time of one measurement went, in seconds.
struct PhaseSeconds {
  double build = 0;  // lower, compile, link
  double check = 0;
  double run = 0;   // timing
  double wait = 0;  // for the device lock
  friend bool operator==(const PhaseSeconds&, const PhaseSeconds&) = default;
};

struct MeasureResult {
  Outcome outcome = Outcome::kCancelled;
  std::string message;             // why, for everything but kOk
  std::optional<Latency> latency;  // present exactly when kOk
  bool censored = false;  // kOk: timing was stopped early, clearly slower than the incumbent
  // kOk: others used the CPUs while it was timed, so much that the latency may be too long. A
  // comparison that says so was measured again already and confirms nothing.
  bool disturbed = false;
  std::optional<double> peak_gflops;  // FMA loop timed in turns with this kernel, all its threads
  ProgramFacts facts;
  PhaseSeconds seconds;
  friend bool operator==(const MeasureResult&, const MeasureResult&) = default;
};

}  // namespace alt::measure

#endif  // COMMON_MEASURE_MEASURE_RESULT_H_
