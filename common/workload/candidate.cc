#include "common/workload/candidate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/call_text.h"
#include "common/base/fingerprint.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/layout/apply_layouts.h"
#include "common/schedule/apply.h"
#include "common/workload/field.h"

namespace alt::workload {
namespace {

// No schedule needs as much; a peer may send anything.
constexpr size_t kMaxTextBytes = size_t{1} << 20;
constexpr size_t kMaxLayouts = 64;

struct Line {
  int number = 0;  // from 1, of the text; 0: none
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

// "3: layout x: reorder(0,0): .."
absl::Status AtLine(int number, const absl::Status& status) {
  return number == 0 ? status : base::Annotate(status, absl::StrCat(number));
}
absl::Status OfLayout(absl::string_view tensor, const absl::Status& status) {
  return base::Annotate(status, absl::StrCat("layout ", tensor));
}

// A candidate and where its parts stand in the text.
struct Located {
  Candidate candidate;
  int algorithm_line = 0;
  std::map<std::string, int> layout_lines;
  std::vector<int> instruction_lines;
};

// "layout T: primitives" after the keyword.
absl::Status ParseLayoutLine(const Line& line, absl::string_view rest, Located& all) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits(':', 1));
  const std::string tensor(absl::StripAsciiWhitespace(parts.first));
  if (!base::IsName(tensor) || rest.find(':') == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("layout ", base::Quoted(rest), ": expected layout tensor: primitives"));
  }
  ALT_ASSIGN_OR_RETURN(layout::Layout layout, layout::Parse(parts.second), OfLayout(tensor, _));
  if (!all.layout_lines.emplace(tensor, line.number).second) {
    return absl::InvalidArgumentError(absl::StrCat("tensor ", tensor, " has two layouts"));
  }
  if (all.layout_lines.size() > kMaxLayouts) {
    return absl::InvalidArgumentError(
        absl::StrCat("a candidate has at most ", kMaxLayouts, " layouts"));
  }
  if (!layout.primitives.empty()) all.candidate.layouts.emplace(tensor, std::move(layout));
  return absl::OkStatus();
}

absl::Status ParseTraceLine(const Line& line, Located& all) {
  ALT_ASSIGN_OR_RETURN(schedule::Trace trace, schedule::Parse(line.text));
  std::vector<schedule::Instruction>& instructions = all.candidate.trace.instructions;
  for (schedule::Instruction& instruction : trace.instructions) {
    instructions.push_back(std::move(instruction));
    all.instruction_lines.push_back(line.number);
  }
  if (instructions.size() <= schedule::kMaxInstructions) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a trace has at most ", schedule::kMaxInstructions, " instructions"));
}

// A line of the grammar's first two kinds is the keyword followed by space.
bool ConsumeKeyword(absl::string_view keyword, absl::string_view* line) {
  absl::string_view rest = *line;
  if (!absl::ConsumePrefix(&rest, keyword)) return false;
  if (!rest.empty() && !absl::ascii_isspace(rest[0])) return false;
  *line = absl::StripAsciiWhitespace(rest);
  return true;
}

absl::Status ParseLine(const Line& line, Located& all) {
  absl::string_view rest = line.text;
  if (ConsumeKeyword("layout", &rest)) return ParseLayoutLine(line, rest, all);
  if (!ConsumeKeyword("algorithm", &rest)) return ParseTraceLine(line, all);
  if (std::exchange(all.algorithm_line, line.number) != 0) {
    return absl::InvalidArgumentError("a candidate has one algorithm");
  }
  ALT_ASSIGN_OR_RETURN(all.candidate.algorithm, ParseAlgorithm(rest));
  return absl::OkStatus();
}

absl::StatusOr<Located> ParseLines(absl::Span<const Line> lines) {
  Located all;
  for (const Line& line : lines) {
    ALT_RETURN_IF_ERROR(AtLine(line.number, ParseLine(line, all)));
  }
  return all;
}

absl::Status CheckTensor(const te::Graph& graph, const std::string& name,
                         const Algorithm& algorithm) {
  if (graph.FindTensor(name) != nullptr) return absl::OkStatus();
  std::vector<std::string> names;
  for (const te::Tensor& tensor : graph.tensors) names.push_back(tensor.buffer->name);
  return absl::InvalidArgumentError(
      absl::StrCat("layout of unknown tensor ", base::Quoted(name), Suggest(name, names),
                   " The tensors under ", Print(algorithm), " are ", absl::StrJoin(names, ", ")));
}

// That everything applies, or what does not and where it stands.
absl::Status CheckApplies(const Workload& workload, const Located& all) {
  const Candidate& candidate = all.candidate;
  ALT_ASSIGN_OR_RETURN(const te::Graph graph, MakeGraph(workload, candidate.algorithm),
                       AtLine(all.algorithm_line, _));
  for (const auto& [name, line] : all.layout_lines) {
    ALT_RETURN_IF_ERROR(AtLine(line, CheckTensor(graph, name, candidate.algorithm)));
  }
  const absl::StatusOr<te::Graph> physical = layout::ApplyLayouts(graph, candidate.layouts);
  if (!physical.ok()) {
    // Mostly one layout is wrong whatever the others are: that one's line.
    for (const auto& [name, layout] : candidate.layouts) {
      const absl::Status alone = layout::ApplyLayouts(graph, {{name, layout}}).status();
      if (!alone.ok()) return AtLine(all.layout_lines.at(name), alone);
    }
    return physical.status();
  }
  schedule::LoopNest nest(*physical);
  for (size_t i = 0; i < candidate.trace.instructions.size(); ++i) {
    const schedule::Instruction& instruction = candidate.trace.instructions[i];
    ALT_RETURN_IF_ERROR(
        AtLine(all.instruction_lines[i],
               base::Annotate(schedule::Apply(instruction, nest), schedule::Print(instruction))));
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
  ALT_RETURN_IF_ERROR(base::CheckLength("candidate", text, kMaxTextBytes));
  ALT_ASSIGN_OR_RETURN(Located all, ParseLines(MeaningfulLines(text)));
  return std::move(all.candidate);
}

std::string Key(const Candidate& candidate) { return base::Sha256Hex(Print(candidate)); }

bool HasLayouts(const Candidate& candidate, const std::map<std::string, layout::Layout>& layouts) {
  return std::all_of(layouts.begin(), layouts.end(), [&](const auto& wanted) {
    const auto it = candidate.layouts.find(wanted.first);
    return wanted.second == (it == candidate.layouts.end() ? layout::Layout() : it->second);
  });
}

std::string Print(const CandidateFile& file) {
  return absl::StrCat(Print(file.workload), "\n", Print(file.candidate));
}

absl::StatusOr<CandidateFile> ParseCandidateFile(absl::string_view text) {
  ALT_RETURN_IF_ERROR(base::CheckLength("candidate file", text, kMaxTextBytes));
  const std::vector<Line> lines = MeaningfulLines(text);
  if (lines.empty()) {
    return absl::InvalidArgumentError(
        "the candidate file is empty; its first line is the workload");
  }
  CandidateFile file;
  ALT_ASSIGN_OR_RETURN(file.workload, Parse(lines[0].text), AtLine(lines[0].number, _));
  ALT_ASSIGN_OR_RETURN(Located all, ParseLines(absl::MakeConstSpan(lines).subspan(1)));
  ALT_RETURN_IF_ERROR(CheckApplies(file.workload, all));
  file.candidate = std::move(all.candidate);
  return file;
}

}  // namespace alt::workload
