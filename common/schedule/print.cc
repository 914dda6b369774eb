#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/schedule/trace.h"

namespace alt::schedule {
namespace {

std::string Text(const Split& i) {
  return absl::StrCat("split(", i.stage, ".", i.axis, ", ", absl::StrJoin(i.factors, ", "), ")");
}

std::string Text(const Fuse& i) {
  const auto axis = [&i](std::string* out, const std::string& a) {
    absl::StrAppend(out, i.stage, ".", a);
  };
  return absl::StrCat("fuse(", absl::StrJoin(i.axes, ", ", axis), ")");
}

std::string Text(const Reorder& i) {
  return absl::StrCat("reorder(", i.stage, ": ", absl::StrJoin(i.axes, " "), ")");
}

std::string Text(const ComputeAt& i) {
  return absl::StrCat("compute_at(", i.stage, ", ", i.target_stage, ".", i.target_axis, ")");
}

std::string Text(const Inline& i) { return absl::StrCat("inline(", i.stage, ")"); }

std::string Text(const Parallel& i) { return absl::StrCat("parallel(", i.stage, ".", i.axis, ")"); }

std::string Text(const Vectorize& i) {
  const std::string lanes = i.lanes == 0 ? "" : absl::StrCat(", ", i.lanes);
  return absl::StrCat("vectorize(", i.stage, ".", i.axis, lanes, ")");
}

std::string Text(const Unroll& i) { return absl::StrCat("unroll(", i.stage, ".", i.axis, ")"); }

std::string Text(const Transpose& i) {
  return absl::StrCat("transpose(", i.stage, ".", i.axis, ", ", i.stage, ".", i.other_axis, ")");
}

std::string Text(const Prefetch& i) {
  return absl::StrCat("prefetch(", i.stage, ".", i.axis, ", ", i.tensor, ", ", i.distance, ")");
}

}  // namespace

std::string Print(const Instruction& instruction) {
  return std::visit([](const auto& i) { return Text(i); }, instruction);
}

std::string Print(const Trace& trace) {
  std::string text;
  for (const Instruction& i : trace.instructions) absl::StrAppend(&text, Print(i), "\n");
  return text;
}

}  // namespace alt::schedule
