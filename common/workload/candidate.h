#ifndef COMMON_WORKLOAD_CANDIDATE_H_
#define COMMON_WORKLOAD_CANDIDATE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/layout/layout.h"
#include "common/schedule/trace.h"
#include "common/workload/algorithm.h"
#include "common/workload/workload.h"

namespace alt::workload {

// One way to compute a workload. Pure data.
struct Candidate {
  Algorithm algorithm;
  std::map<std::string, layout::Layout> layouts;  // by tensor; absent means plain
  schedule::Trace trace;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// A candidate's text:
//
//   candidate ::= { line }                    '#' starts a comment, blank lines are skipped
//   line      ::= "algorithm" algorithm       at most once; without it, direct
//               | "layout" tensor ":" layout  at most once a tensor; an empty layout is plain
//               | instruction                 the trace, in order
//
// The canonical text, which Print gives, has the algorithm, the layouts that are not plain by
// tensor name, then the trace, one instruction a line. Parsing it gives the same candidate; parsing
// any text gives one without entries for plain layouts. InvalidArgument begins with the number of
// the line and names the part: "3: layout x: splt(1,4): unknown primitive ..".
std::string Print(const Candidate& candidate);
absl::StatusOr<Candidate> ParseCandidate(absl::string_view text);
// SHA-256 (hex) of the canonical text.
std::string Key(const Candidate& candidate);

// Whether the candidate has these layouts, by tensor; an empty one is plain.
bool HasLayouts(const Candidate& candidate, const std::map<std::string, layout::Layout>& layouts);

// A candidate file: the workload on the first line that is not blank or comment, then the
// candidate. Parsing also refuses what does not apply to the workload, with the number of the line
// and the status of layout::ApplyLayouts or schedule::Apply.
struct CandidateFile {
  Workload workload;
  Candidate candidate;
};
std::string Print(const CandidateFile& file);
absl::StatusOr<CandidateFile> ParseCandidateFile(absl::string_view text);

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_CANDIDATE_H_
