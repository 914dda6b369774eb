#include "server/dispatch/worker_conduct.h"

#include <algorithm>
#include <utility>

namespace alt::dispatch {
namespace {

constexpr int kMostDoublings = 6;
constexpr absl::Duration kRemembered = absl::Minutes(10);  // after a suspension

absl::Duration FirstPause(Fault fault) {
  switch (fault) {
    case Fault::kHandedBack:
    case Fault::kLost:
      return absl::Seconds(1);
    case Fault::kMute:
      return absl::Seconds(10);
    case Fault::kImplausible:
      return absl::Minutes(1);
  }
  return absl::ZeroDuration();
}

}  // namespace

void WorkerConduct::Note(const std::string& worker, Fault fault, std::string reason,
                         absl::Duration now) {
  if (!suspensions_.contains(worker) && static_cast<int64_t>(suspensions_.size()) >= most_) {
    suspensions_.erase(std::min_element(
        suspensions_.begin(), suspensions_.end(),
        [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
  }
  Suspension& suspension = suspensions_[worker];
  if (now >= suspension.until) ++suspension.faults;
  const int doublings = std::min(suspension.faults - 1, kMostDoublings);
  const bool free = fault == Fault::kLost && suspension.faults == 1;
  const absl::Duration pause = free ? absl::ZeroDuration() : FirstPause(fault) * (1 << doublings);
  suspension.until = std::max(suspension.until, now + pause);
  suspension.reason = std::move(reason);
}

void WorkerConduct::MakeGood(const std::string& worker, absl::Duration now) {
  const auto it = suspensions_.find(worker);
  if (it != suspensions_.end() && now >= it->second.until) suspensions_.erase(it);
}

const Suspension* WorkerConduct::Find(const std::string& worker, absl::Duration now) const {
  const auto it = suspensions_.find(worker);
  return it != suspensions_.end() && now < it->second.until ? &it->second : nullptr;
}

bool WorkerConduct::Sweep(absl::Duration now) {
  const absl::Duration last = std::exchange(last_sweep_, now);
  const bool ended = std::any_of(suspensions_.begin(), suspensions_.end(), [&](const auto& entry) {
    return last < entry.second.until && entry.second.until <= now;
  });
  std::erase_if(suspensions_,
                [&](const auto& entry) { return now >= entry.second.until + kRemembered; });
  return ended;
}

}  // namespace alt::dispatch
