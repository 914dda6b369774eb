// Grammar of a trace:
//
//   trace       ::= { instruction | '#' comment to the end of the line }
//   instruction ::= name '(' arguments ')'
//   arguments   ::= item { ',' item }                    most instructions
//                 | stage ':' axis { axis }              reorder
//
// An axis path is stage '.' axis: the stage ends at the first dot.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"
#include "common/ir/limits.h"
#include "common/schedule/trace.h"

namespace alt::schedule {
namespace {

struct Call {
  std::string name;
  std::vector<std::string> args;  // split at commas, trimmed
};

absl::Status Error(const Call& call, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat(call.name, "(", absl::StrJoin(call.args, ", "), "): ", why));
}

struct Path {
  std::string stage, axis;
};

absl::StatusOr<Path> ParsePath(const Call& call, absl::string_view text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
  if (parts.first.empty() || parts.second.empty()) {
    return Error(call, absl::StrCat("'", text, "' is no axis; write stage.axis"));
  }
  return Path{parts.first, parts.second};
}

absl::StatusOr<int64_t> ParsePositive(const Call& call, absl::string_view text) {
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value) || value < 1 || value > (int64_t{1} << 40)) {
    return Error(call, absl::StrCat("'", text, "' is no positive number"));
  }
  return value;
}

absl::Status CheckCount(const Call& call, size_t least, size_t most) {
  if (call.args.size() >= least && call.args.size() <= most) return absl::OkStatus();
  return Error(call, absl::StrCat("takes ", least == most ? "" : absl::StrCat(least, " to "), most,
                                  " arguments, got ", call.args.size()));
}

absl::StatusOr<Instruction> ParseSplit(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 2, 1 + ir::kMaxFactors));
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  Split split{path.stage, path.axis, {}};
  for (size_t i = 1; i < call.args.size(); ++i) {
    ALT_ASSIGN_OR_RETURN(int64_t factor, ParsePositive(call, call.args[i]));
    split.factors.push_back(factor);
  }
  return split;
}

absl::StatusOr<Instruction> ParseFuse(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 2, ir::kMaxRank));
  Fuse fuse;
  for (const std::string& arg : call.args) {
    ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, arg));
    if (!fuse.stage.empty() && fuse.stage != path.stage) return Error(call, "axes of two stages");
    fuse.stage = path.stage;
    fuse.axes.push_back(path.axis);
  }
  return fuse;
}

absl::StatusOr<Instruction> ParseReorder(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 1, 1));
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(call.args[0], absl::MaxSplits(':', 1));
  Reorder reorder;
  reorder.stage = std::string(absl::StripAsciiWhitespace(parts.first));
  reorder.axes = absl::StrSplit(parts.second, ' ', absl::SkipWhitespace());
  if (reorder.stage.empty() || reorder.axes.empty()) {
    return Error(call, "write reorder(stage: axis axis ...)");
  }
  if (reorder.axes.size() > ir::kMaxRank) {
    return Error(call, absl::StrCat("more than ", ir::kMaxRank, " axes"));
  }
  return reorder;
}

absl::StatusOr<Instruction> ParseComputeAt(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 2, 2));
  ALT_ASSIGN_OR_RETURN(Path target, ParsePath(call, call.args[1]));
  return ComputeAt{call.args[0], target.stage, target.axis};
}

absl::StatusOr<Instruction> ParseInline(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 1, 1));
  return Inline{call.args[0]};
}

absl::StatusOr<Instruction> ParseParallel(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 1, 1));
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  return Parallel{path.stage, path.axis};
}

absl::StatusOr<Instruction> ParseVectorize(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 1, 2));
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  Vectorize vectorize{path.stage, path.axis, 0};
  if (call.args.size() == 2) {
    ALT_ASSIGN_OR_RETURN(vectorize.lanes, ParsePositive(call, call.args[1]));
  }
  return vectorize;
}

absl::StatusOr<Instruction> ParseUnroll(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 1, 1));
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  return Unroll{path.stage, path.axis};
}

absl::StatusOr<Instruction> ParsePrefetch(const Call& call) {
  ALT_RETURN_IF_ERROR(CheckCount(call, 3, 3));
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  ALT_ASSIGN_OR_RETURN(int64_t distance, ParsePositive(call, call.args[2]));
  return Prefetch{path.stage, path.axis, call.args[1], distance};
}

absl::StatusOr<Instruction> ParseCall(const Call& call) {
  using Parser = absl::StatusOr<Instruction> (*)(const Call&);
  static constexpr std::pair<absl::string_view, Parser> kParsers[] = {
      {"split", ParseSplit},          {"fuse", ParseFuse},     {"reorder", ParseReorder},
      {"compute_at", ParseComputeAt}, {"inline", ParseInline}, {"parallel", ParseParallel},
      {"vectorize", ParseVectorize},  {"unroll", ParseUnroll}, {"prefetch", ParsePrefetch},
  };
  std::string known;
  for (const auto& [name, parser] : kParsers) {
    if (name == call.name) return parser(call);
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown instruction '", call.name, "'; instructions are: ", known));
}

std::string StripComments(absl::string_view text) {
  std::string out;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&out, line.substr(0, line.find('#')), "\n");
  }
  return out;
}

}  // namespace

absl::StatusOr<Trace> Parse(absl::string_view text) {
  const std::string clean = StripComments(text);
  absl::string_view rest = absl::StripAsciiWhitespace(clean);
  Trace trace;
  while (!rest.empty()) {
    const size_t open = rest.find('(');
    const size_t close = rest.find(')');
    if (open == absl::string_view::npos || close == absl::string_view::npos || close < open) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", rest.substr(0, 60), "' is no instruction: write name(arguments)"));
    }
    Call call;
    call.name = std::string(absl::StripAsciiWhitespace(rest.substr(0, open)));
    for (absl::string_view arg : absl::StrSplit(rest.substr(open + 1, close - open - 1), ',')) {
      call.args.emplace_back(absl::StripAsciiWhitespace(arg));
    }
    ALT_ASSIGN_OR_RETURN(Instruction instruction, ParseCall(call));
    trace.instructions.push_back(std::move(instruction));
    if (trace.instructions.size() > kMaxInstructions) {
      return absl::InvalidArgumentError(
          absl::StrCat("a trace has at most ", kMaxInstructions, " instructions"));
    }
    rest = absl::StripAsciiWhitespace(rest.substr(close + 1));
  }
  return trace;
}

}  // namespace alt::schedule
