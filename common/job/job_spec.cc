#include "common/job/job_spec.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"

namespace alt::job {
namespace {

constexpr size_t kMaxFixedLayouts = 64;  // more than any workload has tensors
constexpr size_t kMaxTensorName = 128;

// At the commas outside of parentheses.
std::vector<absl::string_view> SplitEntries(absl::string_view text) {
  std::vector<absl::string_view> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) {
      out.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  out.push_back(text.substr(begin));
  return out;
}

bool IsTensorName(absl::string_view name) {
  return !name.empty() && name.size() <= kMaxTensorName &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return absl::ascii_isgraph(c); });
}

}  // namespace

std::string PrintFixedLayouts(const FixedLayouts& layouts) {
  return absl::StrJoin(layouts, ",", [](std::string* out, const auto& entry) {
    const std::string layout = layout::Print(entry.second);
    absl::StrAppend(out, entry.first, "=", layout.empty() ? "plain" : layout);
  });
}

absl::StatusOr<FixedLayouts> ParseFixedLayouts(absl::string_view text) {
  return ParseFixedLayouts(text, [](absl::string_view, absl::string_view layout) {
    return layout::Parse(layout == "plain" ? "" : layout);
  });
}

absl::StatusOr<FixedLayouts> ParseFixedLayouts(absl::string_view text, ReadLayout read) {
  FixedLayouts out;
  if (text.empty()) return out;
  for (const absl::string_view entry : SplitEntries(text)) {
    const size_t equals = entry.find('=');
    const absl::string_view tensor = entry.substr(0, equals);
    if (equals == absl::string_view::npos || !IsTensorName(tensor)) {
      return absl::InvalidArgumentError(absl::StrCat("'", entry, "' is not TENSOR=LAYOUT"));
    }
    ALT_ASSIGN_OR_RETURN(layout::Layout value, read(tensor, entry.substr(equals + 1)),
                         base::Annotate(_, absl::StrCat("layout of ", tensor)));
    out.insert_or_assign(std::string(tensor), std::move(value));
    if (out.size() > kMaxFixedLayouts) {
      return absl::InvalidArgumentError(
          absl::StrCat("fixed layouts of more than ", kMaxFixedLayouts, " tensors"));
    }
  }
  return out;
}

absl::string_view KindName(const JobSpec& spec) {
  static constexpr absl::string_view kNames[] = {"tune", "bench", "peak"};
  static_assert(std::size(kNames) == std::variant_size_v<JobSpec>);
  return kNames[spec.index()];
}

const target::Target& TargetOf(const JobSpec& spec) {
  return std::visit([](const auto& s) -> const target::Target& { return s.target; }, spec);
}

}  // namespace alt::job
