// PrefetchFilter: hints for the filter some iterations of the inner reduction loop ahead. First
// choice: none.

#include "server/search/space/loop_rule/rules.h"

namespace alt::search {

void PrefetchFilter(Nest& nest, Draft& draft) {
  if (nest.plan.complete || !nest.roles.filter.defined()) return;
  if (nest.depth == nullptr || nest.depth->extent <= 16 || nest.depth_outside) return;
  nest.plan.prefetch = draft.decide.Loop(nest.core->name + ".prefetch", {0, 8, 16, 32, 64}, 0);
}

}  // namespace alt::search
