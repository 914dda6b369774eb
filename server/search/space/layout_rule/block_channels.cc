// BlockChannels: C -> C/c .. c, the block innermost, for the output and for the data.
//
// Blocks divide their dimension, and hold whole groups or are part of one. With data in blocks the
// taps stand around the channels: a loop over blocks within taps within blocks has no address
// without a division. First choice: none (channels innermost, NHWC).

#include "server/search/space/layout_rule/rules.h"

namespace alt::search {
namespace {

// 0, for none, then the legal blocks of `extent` channels in groups of `unit`.
std::vector<int64_t> Blocks(int64_t extent, int64_t unit) {
  std::vector<int64_t> blocks = ProperDivisors(extent, {8, 16, 32, 48, 64, 96, 128});
  std::erase_if(blocks, [unit](int64_t b) { return unit % b != 0 && b % unit != 0; });
  blocks.insert(blocks.begin(), 0);
  return blocks;
}

}  // namespace

void BlockChannels(Nest& nest, Draft& draft) {
  if (nest.lanes != Lanes::kChannel || nest.channel == nullptr) return;
  const std::string& stage = nest.core->name;
  if (!draft.IsFixed(nest.owner->output)) {
    const int64_t unit = nest.unit() > 0 ? nest.unit() : 1;
    nest.channel_block =
        draft.decide.Layout(stage + ".channel_block", Blocks(nest.channel->extent, unit), 0);
  }
  const ir::Buffer& data = nest.roles.data.tensor;
  if (!draft.IsFixed(data)) {
    const AxisRole& channels = nest.depth != nullptr ? *nest.depth : *nest.channel;
    if (!channels.data.used()) return;
    const int64_t extent = data->shape[static_cast<size_t>(channels.data.dim)];
    if (nest.channel->data.dim == channels.data.dim && nest.channel->part != AxisPart::kColumn) {
      // Each channel reads its own: blocks of both match, or a vector would cross them.
      std::vector<int64_t> blocks{0};
      if (nest.channel_block > 0) blocks.push_back(nest.channel_block);
      nest.input_block = draft.decide.Layout(stage + ".input_block", blocks, nest.channel_block);
      return;
    }
    const int64_t unit = nest.depth != nullptr ? nest.depth->extent : 1;
    nest.input_block = draft.decide.Layout(stage + ".input_block", Blocks(extent, unit), 0);
  }
}

}  // namespace alt::search
