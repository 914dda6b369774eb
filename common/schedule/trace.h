#ifndef COMMON_SCHEDULE_TRACE_H_
#define COMMON_SCHEDULE_TRACE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/schedule/instruction.h"

namespace alt::schedule {

inline constexpr int kMaxInstructions = 1024;  // of one trace

// A schedule is its trace: replaying it on the same stages gives the same program.
struct Trace {
  std::vector<Instruction> instructions;
  friend bool operator==(const Trace&, const Trace&) = default;
};

// Canonical text, one instruction a line, e.g. "split(conv.h, 4)\nreorder(conv: n h.0 kh h.1)\n".
// Parse(Print(t)) == t; Parse also takes several instructions on a line and '#' comments.
// InvalidArgument, with the instruction and what was expected, for what is none or past the limits
// (above; ir/limits.h).
std::string Print(const Instruction& instruction);
std::string Print(const Trace& trace);
absl::StatusOr<Trace> Parse(absl::string_view text);

}  // namespace alt::schedule

#endif  // COMMON_SCHEDULE_TRACE_H_
