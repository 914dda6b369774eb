#include "tests/sim/sim_disk.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "common/base/check.h"

namespace alt::sim {

void SimDisk::Commit(store::WriteBatch batch, std::function<void(const absl::Status&)> done) {
  under_way_.push_back({std::move(batch), std::move(done)});
  last_end_ = std::max(last_end_, loop_->now()) + most_commit_ * random_.UnitDouble();
  loop_->At(last_end_, [this, life = life_] { Complete(life); });
}

void SimDisk::Complete(int64_t life) {
  if (life != life_) return;
  Write write = std::move(under_way_.front());
  under_way_.pop_front();
  if (full_) return write.done(absl::ResourceExhaustedError("the disk is full"));
  const absl::Status status = store_->CommitAndWait(write.batch);
  if (status.ok()) {
    for (const store::Mutation& mutation : write.batch) {
      if (const auto* result = std::get_if<store::AddResult>(&mutation)) {
        acknowledged_.emplace(result->place.job, result->place.batch, result->place.index);
      }
    }
  }
  write.done(status);
}

void SimDisk::Crash() {
  ++life_;
  for (uint64_t reached = random_.Uniform(under_way_.size() + 1); reached > 0; --reached) {
    if (!full_) ALT_CHECK_OK(store_->CommitAndWait(std::move(under_way_.front().batch)));
    under_way_.pop_front();
  }
  under_way_.clear();
  last_end_ = loop_->now();
}

}  // namespace alt::sim
