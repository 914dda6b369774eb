// PlaceProducer: where a stage without reduction makes the data (padding, a change of layout).
//
// At a block of rows it needs a loop over such blocks; where it is read, padding multiplies the
// bodies that are compiled. First choice: where it is read, if that costs nothing (a copy in the
// same layout) or each element is read by few; else at the block, the data then stay in a cache.

#include "server/search/space/loop_rule/rules.h"

namespace alt::search {
namespace {

bool CopiesAsItStands(const Nest& nest, const Draft& draft) {
  const te::Stage& producer = *nest.producer;
  if (producer.body->kind != ir::ExprKind::kLoad) return false;
  return draft.LayoutOf(producer.body->buffer) == draft.LayoutOf(producer.output);
}

}  // namespace

void PlaceProducer(Nest& nest, Draft& draft) {
  if (nest.producer == nullptr) return;
  std::vector<int64_t> places{static_cast<int64_t>(ProducerPlace::kAtRoot)};
  const bool has_blocks = BlockLoop(nest).exists();
  if (has_blocks) places.push_back(static_cast<int64_t>(ProducerPlace::kAtBlock));
  const bool is_copy = CopiesAsItStands(nest, draft);
  const int64_t body = VectorsOf(nest, draft) * (nest.plan.complete ? Taps(nest) : 1);
  const bool fits = body * BodiesOf(nest, true, nest.plan.complete) <= kMostInAllBodies;
  if (is_copy || fits) places.push_back(static_cast<int64_t>(ProducerPlace::kInlined));
  const bool inlines = is_copy || nest.plan.complete || nest.lanes == Lanes::kGroup;
  const ProducerPlace first = inlines      ? ProducerPlace::kInlined
                              : has_blocks ? ProducerPlace::kAtBlock
                                           : ProducerPlace::kAtRoot;
  nest.plan.place = static_cast<ProducerPlace>(
      draft.decide.Loop(nest.producer->name + ".place", places, static_cast<int64_t>(first)));
}

}  // namespace alt::search
