// BlockReduction: the depth in blocks around the taps, and what of depth and taps is unrolled.
//
// Blocks of the data's layout are a loop of their own, so that an address needs no division. First
// choice: no blocks, nothing unrolled but the taps of groups.

#include <algorithm>

#include "server/search/space/loop_rule/rules.h"

namespace alt::search {
namespace {

constexpr int64_t kMostTapsUnrolled = 8;  // of one axis

}  // namespace

void BlockReduction(Nest& nest, Draft& draft) {
  LoopPlan& plan = nest.plan;
  if (plan.complete) return;
  const std::string& stage = nest.core->name;
  const bool inlined = plan.place == ProducerPlace::kInlined;
  const int64_t most = std::min(kMostUnrolled, kMostInAllBodies / BodiesOf(nest, inlined, true));
  int64_t room = std::max<int64_t>(1, most / VectorsOf(nest, draft));
  std::vector<int64_t> windows{0};
  int64_t body = 1;
  for (size_t i = nest.windows.size(); i-- > 0;) {
    body *= nest.windows[i]->extent;
    if (nest.windows[i]->extent > kMostTapsUnrolled || body > room) break;
    if (nest.windows[i]->extent > 1)
      windows.push_back(static_cast<int64_t>(nest.windows.size() - i));
  }
  plan.window_unroll =
      draft.decide.Loop(stage + ".window_unroll", windows, nest.lanes == Lanes::kGroup ? 1 : 0);
  for (int64_t i = 0; i < plan.window_unroll; ++i) {
    room /= nest.windows[nest.windows.size() - 1 - static_cast<size_t>(i)]->extent;
  }
  if (nest.depth == nullptr || nest.depth->extent == 1 || nest.depth_outside) return;
  const int64_t extent = nest.depth->extent;
  std::vector<int64_t> blocks = UpTo(extent - 1, {16, 32, 64, 128, 256, 512});
  blocks.insert(blocks.begin(), 0);
  plan.depth_block = draft.decide.Loop(stage + ".depth_block", blocks, 0);
  plan.depth_unroll = draft.decide.Loop(
      stage + ".depth_unroll", UpTo(std::max<int64_t>(1, std::min(extent, room)), {1, 2, 4, 8}), 1);
}

}  // namespace alt::search
