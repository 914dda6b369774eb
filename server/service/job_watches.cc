#include "server/service/job_watches.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"

namespace alt::service {
namespace {

constexpr absl::Duration kLongestSilence = absl::Seconds(2);

}  // namespace

JobWatches::JobWatches(absl::Duration least_interval, StateFunction state)
    : least_interval_(least_interval), state_(std::move(state)) {}

void JobWatches::Add(const std::string& job_id, std::shared_ptr<JobWatcher> watcher, bool goes_on) {
  absl::StatusOr<job::Job> job = state_(job_id);
  if (!job.ok()) return watcher->OnEnd(job.status());
  watcher->OnState(std::make_shared<const job::Job>(*std::move(job)));
  if (!goes_on) return watcher->OnEnd(absl::OkStatus());
  watches_[job_id].watchers.push_back(std::move(watcher));
}

void JobWatches::Remove(const std::shared_ptr<JobWatcher>& watcher) {
  for (auto& [id, watch] : watches_) std::erase(watch.watchers, watcher);
  std::erase_if(watches_, [](const auto& entry) { return entry.second.watchers.empty(); });
}

void JobWatches::MarkChanged(const std::string& job_id) {
  if (const auto watch = watches_.find(job_id); watch != watches_.end()) {
    watch->second.changed = true;
  }
}

void JobWatches::Flush(absl::Time now) {
  for (auto& [id, watch] : watches_) {
    const absl::Duration silence = now - watch.last_sent;
    const bool due = watch.changed && silence >= least_interval_;
    if (!due && silence < kLongestSilence) continue;
    watch.changed = false;
    watch.last_sent = now;
    absl::StatusOr<job::Job> job = state_(id);
    if (!job.ok()) {
      ALT_LOG(ERROR) << "job " << id << ": " << job.status().ToString();
      continue;
    }
    const auto state = std::make_shared<const job::Job>(*std::move(job));
    for (const auto& watcher : watch.watchers) watcher->OnState(state);
  }
}

void JobWatches::End(const std::string& job_id) {
  auto node = watches_.extract(job_id);
  if (node.empty()) return;
  absl::StatusOr<job::Job> job = state_(job_id);
  const absl::Status status = job.status();
  const auto state = job.ok() ? std::make_shared<const job::Job>(*std::move(job)) : nullptr;
  for (const auto& watcher : node.mapped().watchers) {
    if (state) watcher->OnState(state);
    watcher->OnEnd(status);
  }
}

void JobWatches::EndAll() {
  for (auto& [id, watch] : watches_) {
    for (const auto& watcher : watch.watchers) watcher->OnEnd(absl::OkStatus());
  }
  watches_.clear();
}

absl::Time JobWatches::NextDue() const {
  absl::Time due = absl::InfiniteFuture();
  for (const auto& [id, watch] : watches_) {
    if (watch.changed) due = std::min(due, watch.last_sent + least_interval_);
  }
  return due;
}

}  // namespace alt::service
