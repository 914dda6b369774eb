// Grammar of a trace:
//
//   trace       ::= { instruction | '#' comment to the end of the line }
//   instruction ::= name '(' arguments ')'
//   arguments   ::= item { ',' item }                    most instructions
//                 | stage ':' axis { axis }              reorder
//
// An axis path is stage '.' axis: the stage ends at the first dot.

#include "common/base/parse.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/call_text.h"
#include "common/base/status_macros.h"
#include "common/ir/limits.h"
#include "common/schedule/trace.h"

namespace alt::schedule {
namespace {

using base::CallText;

constexpr size_t kMaxTextBytes = size_t{1} << 20;
constexpr char kExample[] = "split(conv.h, 4)";

absl::StatusOr<std::string> ParseName(const CallText& call, absl::string_view text) {
  if (base::IsName(text)) return std::string(text);
  return base::BadCall(call, absl::StrCat(base::Quoted(text), " is no name"));
}

struct Path {
  std::string stage, axis;
};

absl::StatusOr<Path> ParsePath(const CallText& call, absl::string_view text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
  if (base::IsName(parts.first) && base::IsName(parts.second)) {
    return Path{parts.first, parts.second};
  }
  return base::BadCall(call, absl::StrCat(base::Quoted(text), " is no axis; write stage.axis"));
}

absl::StatusOr<int64_t> ParsePositive(const CallText& call, absl::string_view text) {
  const absl::StatusOr<int64_t> value = base::ParseInt64(text);
  if (value.ok() && *value >= 1 && *value <= (int64_t{1} << 40)) return *value;
  return base::BadCall(call, absl::StrCat(base::Quoted(text), " is no positive number"));
}

absl::StatusOr<Instruction> ParseSplit(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  Split split{path.stage, path.axis, {}};
  for (size_t i = 1; i < call.args.size(); ++i) {
    ALT_ASSIGN_OR_RETURN(int64_t factor, ParsePositive(call, call.args[i]));
    split.factors.push_back(factor);
  }
  return split;
}

absl::StatusOr<Instruction> ParseFuse(const CallText& call) {
  Fuse fuse;
  for (absl::string_view arg : call.args) {
    ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, arg));
    if (!fuse.stage.empty() && fuse.stage != path.stage)
      return base::BadCall(call, "axes of two stages");
    fuse.stage = path.stage;
    fuse.axes.push_back(path.axis);
  }
  return fuse;
}

absl::StatusOr<Instruction> ParseReorder(const CallText& call) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(call.args[0], absl::MaxSplits(':', 1));
  Reorder reorder;
  ALT_ASSIGN_OR_RETURN(reorder.stage, ParseName(call, absl::StripAsciiWhitespace(parts.first)));
  for (absl::string_view axis :
       absl::StrSplit(parts.second, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    ALT_ASSIGN_OR_RETURN(reorder.axes.emplace_back(), ParseName(call, axis));
  }
  if (!reorder.axes.empty() && reorder.axes.size() <= ir::kMaxRank) return reorder;
  return base::BadCall(call, absl::StrCat("expected reorder(stage: axis axis ..) with 1 to ",
                                          ir::kMaxRank, " axes, got ", reorder.axes.size()));
}

absl::StatusOr<Instruction> ParseComputeAt(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(Path target, ParsePath(call, call.args[1]));
  ALT_ASSIGN_OR_RETURN(std::string stage, ParseName(call, call.args[0]));
  return ComputeAt{std::move(stage), target.stage, target.axis};
}

absl::StatusOr<Instruction> ParseInline(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(std::string stage, ParseName(call, call.args[0]));
  return Inline{std::move(stage)};
}

absl::StatusOr<Instruction> ParseParallel(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  return Parallel{path.stage, path.axis};
}

absl::StatusOr<Instruction> ParseVectorize(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  Vectorize vectorize{path.stage, path.axis, 0};
  if (call.args.size() == 2) {
    ALT_ASSIGN_OR_RETURN(vectorize.lanes, ParsePositive(call, call.args[1]));
  }
  return vectorize;
}

absl::StatusOr<Instruction> ParseUnroll(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  return Unroll{path.stage, path.axis};
}

absl::StatusOr<Instruction> ParseTranspose(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(Path one, ParsePath(call, call.args[0]));
  ALT_ASSIGN_OR_RETURN(Path other, ParsePath(call, call.args[1]));
  if (one.stage != other.stage) return base::BadCall(call, "axes of two stages");
  return Transpose{one.stage, one.axis, other.axis};
}

absl::StatusOr<Instruction> ParsePrefetch(const CallText& call) {
  ALT_ASSIGN_OR_RETURN(Path path, ParsePath(call, call.args[0]));
  ALT_ASSIGN_OR_RETURN(int64_t distance, ParsePositive(call, call.args[2]));
  ALT_ASSIGN_OR_RETURN(std::string tensor, ParseName(call, call.args[1]));
  return Prefetch{path.stage, path.axis, std::move(tensor), distance};
}

// How an instruction is written.
struct Form {
  absl::string_view name;
  absl::string_view text;
  size_t least, most;  // arguments
  absl::StatusOr<Instruction> (*parse)(const CallText&);
};
constexpr Form kForms[] = {
    {"split", "split(stage.axis, factor, ..)", 2, 1 + ir::kMaxFactors, ParseSplit},
    {"fuse", "fuse(stage.axis, stage.axis, ..)", 2, ir::kMaxRank, ParseFuse},
    {"reorder", "reorder(stage: axis axis ..)", 1, 1, ParseReorder},
    {"compute_at", "compute_at(stage, stage.axis)", 2, 2, ParseComputeAt},
    {"inline", "inline(stage)", 1, 1, ParseInline},
    {"parallel", "parallel(stage.axis)", 1, 1, ParseParallel},
    {"vectorize", "vectorize(stage.axis) or vectorize(stage.axis, lanes)", 1, 2, ParseVectorize},
    {"unroll", "unroll(stage.axis)", 1, 1, ParseUnroll},
    {"transpose", "transpose(stage.axis, stage.axis)", 2, 2, ParseTranspose},
    {"prefetch", "prefetch(stage.axis, tensor, distance)", 3, 3, ParsePrefetch},
};

absl::StatusOr<Instruction> ParseCall(const CallText& call) {
  std::vector<std::string> known;
  for (const Form& form : kForms) {
    known.emplace_back(form.name);
    if (form.name != call.name) continue;
    if (call.args.size() >= form.least && call.args.size() <= form.most) return form.parse(call);
    return base::BadCall(
        call, absl::StrCat("expected ", form.text, " with ",
                           form.least == form.most ? "" : absl::StrCat(form.least, " to "),
                           form.most, " arguments, got ", call.args.size()));
  }
  return base::BadCall(call, absl::StrCat("unknown instruction ", base::Quoted(call.name),
                                          base::DidYouMean(call.name, known), "; instructions are ",
                                          absl::StrJoin(known, ", ")));
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
  ALT_RETURN_IF_ERROR(base::CheckLength("trace", text, kMaxTextBytes));
  const std::string clean = StripComments(text);
  absl::string_view rest = absl::StripAsciiWhitespace(clean);
  Trace trace;
  while (!rest.empty()) {
    ALT_ASSIGN_OR_RETURN(const CallText call, base::TakeCall(&rest, kExample));
    if (trace.instructions.size() == kMaxInstructions) {
      return absl::InvalidArgumentError(
          absl::StrCat("a trace has at most ", kMaxInstructions, " instructions"));
    }
    ALT_ASSIGN_OR_RETURN(Instruction instruction, ParseCall(call));
    trace.instructions.push_back(std::move(instruction));
  }
  return trace;
}

}  // namespace alt::schedule
