// reorder(s: a b ..):  the named loops stand in the places that they hold together, in this order;
// others keep theirs. Any order of serial loops is legal: the sum of a reduction does not depend on
// it (up to rounding), and spatial iterations are independent. Inverse: reorder.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/schedule/apply.h"

namespace alt::schedule {

absl::Status Apply(const Reorder& reorder, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(StageNest * stage, nest.FindStage(reorder.stage));
  std::vector<size_t> from;
  for (const std::string& axis : reorder.axes) {
    ALT_ASSIGN_OR_RETURN(size_t at, nest.FindLoop(*stage, axis));
    if (std::find(from.begin(), from.end(), at) != from.end()) {
      return absl::InvalidArgumentError(absl::StrCat("loop ", axis, " is named twice"));
    }
    from.push_back(at);
  }
  std::vector<size_t> to = from;
  std::sort(to.begin(), to.end());
  std::vector<Loop> loops = stage->loops;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i] && to[i] < stage->fixed_loops) {
      return absl::FailedPreconditionError(
          absl::StrCat("loop ", reorder.axes[i], " moves above a stage that is computed inside"));
    }
    loops[to[i]] = stage->loops[from[i]];
  }
  ALT_RETURN_IF_ERROR(CheckKinds(loops));
  stage->loops = std::move(loops);
  stage->touched = true;
  return absl::OkStatus();
}

}  // namespace alt::schedule
