#include "common/workload/candidate.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/fingerprint.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/workload/field.h"

namespace alt::workload {
namespace {

// No schedule needs as much; a peer may send anything.
constexpr size_t kMaxTextBytes = size_t{1} << 20;

struct Line {
  int number;  // from 1, of the text
  absl::string_view text;
};

// The lines that say something, without comments and surrounding space.
std::vector<Line> MeaningfulLines(absl::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (!line.empty()) lines.push_back({number, line});
  }
  return lines;
}

absl::Status AtLine(const Line& line, const absl::Status& status) {
  return base::Annotate(status, absl::StrCat("line ", line.number));
}

// "layout T: primitives" after the keyword.
absl::Status ParseLayoutLine(absl::string_view rest, std::map<std::string, layout::Layout>& all) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits(':', 1));
  const std::string tensor(absl::StripAsciiWhitespace(parts.first));
  if (tensor.empty() || rest.find(':') == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(base::Quoted(rest), " is no layout; write layout tensor: primitives"));
  }
  ALT_ASSIGN_OR_RETURN(layout::Layout layout, layout::Parse(parts.second),
                       base::Annotate(_, absl::StrCat("layout of ", tensor)));
  if (!all.emplace(tensor, std::move(layout)).second) {
    return absl::InvalidArgumentError(absl::StrCat("tensor ", tensor, " has two layouts"));
  }
  return absl::OkStatus();
}

// A line of the grammar's first two kinds is the keyword followed by space.
bool ConsumeKeyword(absl::string_view keyword, absl::string_view* line) {
  absl::string_view rest = *line;
  if (!absl::ConsumePrefix(&rest, keyword)) return false;
  if (!rest.empty() && !absl::ascii_isspace(rest[0])) return false;
  *line = absl::StripAsciiWhitespace(rest);
  return true;
}

absl::StatusOr<Candidate> ParseLines(absl::Span<const Line> lines) {
  Candidate candidate;
  std::string trace;
  bool has_algorithm = false;
  for (const Line& line : lines) {
    absl::string_view rest = line.text;
    if (ConsumeKeyword("algorithm", &rest)) {
      if (std::exchange(has_algorithm, true)) {
        return AtLine(line, absl::InvalidArgumentError("a candidate has one algorithm"));
      }
      ALT_ASSIGN_OR_RETURN(candidate.algorithm, ParseAlgorithm(rest), AtLine(line, _));
    } else if (ConsumeKeyword("layout", &rest)) {
      if (absl::Status status = ParseLayoutLine(rest, candidate.layouts); !status.ok()) {
        return AtLine(line, status);
      }
    } else {
      absl::StrAppend(&trace, line.text, "\n");
    }
  }
  std::erase_if(candidate.layouts, [](const auto& e) { return e.second.primitives.empty(); });
  ALT_ASSIGN_OR_RETURN(candidate.trace, schedule::Parse(trace), base::Annotate(_, "trace"));
  return candidate;
}

absl::Status CheckLength(absl::string_view text) {
  if (text.size() <= kMaxTextBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the candidate has ", text.size(), " bytes, the most is ", kMaxTextBytes));
}

absl::Status CheckTensors(const Candidate& candidate, const te::Graph& graph) {
  std::vector<std::string> names;
  for (const te::Tensor& tensor : graph.tensors) names.push_back(tensor.buffer->name);
  for (const auto& [name, layout] : candidate.layouts) {
    if (graph.FindTensor(name) != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "layout of unknown tensor ", base::Quoted(name), Suggest(name, names),
        " The tensors under ", Print(candidate.algorithm), " are ", absl::StrJoin(names, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace

std::string Print(const Candidate& candidate) {
  std::string text = absl::StrCat("algorithm ", Print(candidate.algorithm), "\n");
  for (const auto& [tensor, layout] : candidate.layouts) {
    if (layout.primitives.empty()) continue;
    absl::StrAppend(&text, "layout ", tensor, ": ", layout::Print(layout), "\n");
  }
  absl::StrAppend(&text, schedule::Print(candidate.trace));
  return text;
}

absl::StatusOr<Candidate> ParseCandidate(absl::string_view text) {
  ALT_RETURN_IF_ERROR(CheckLength(text));
  return ParseLines(MeaningfulLines(text));
}

std::string Key(const Candidate& candidate) { return base::Sha256Hex(Print(candidate)); }

std::string Print(const CandidateFile& file) {
  return absl::StrCat(Print(file.workload), "\n", Print(file.candidate));
}

absl::StatusOr<CandidateFile> ParseCandidateFile(absl::string_view text) {
  ALT_RETURN_IF_ERROR(CheckLength(text));
  const std::vector<Line> lines = MeaningfulLines(text);
  if (lines.empty()) {
    return absl::InvalidArgumentError(
        "the candidate file is empty; its first line is the workload");
  }
  CandidateFile file;
  const absl::StatusOr<Workload> workload = Parse(lines[0].text);
  if (!workload.ok()) return AtLine(lines[0], workload.status());
  file.workload = *workload;
  ALT_ASSIGN_OR_RETURN(file.candidate, ParseLines(absl::MakeConstSpan(lines).subspan(1)));
  ALT_ASSIGN_OR_RETURN(const te::Graph graph, MakeGraph(file.workload, file.candidate.algorithm));
  ALT_RETURN_IF_ERROR(CheckTensors(file.candidate, graph));
  return file;
}

}  // namespace alt::workload
