#include "server/dispatch/worker_registry.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace alt::dispatch {
namespace {

constexpr size_t kMaxFormerSessions = 16;

}  // namespace

WorkerRegistry::Admission WorkerRegistry::Admit(const Report& report) const {
  const auto it = workers_.find(report.worker);
  if (it == workers_.end()) {
    return static_cast<int64_t>(workers_.size()) < max_workers_ ? Admission::kNew
                                                                : Admission::kFull;
  }
  const Worker& worker = it->second;
  if (worker.session == report.session) return Admission::kSame;
  const auto& former = worker.former_sessions;
  const bool had_it = std::find(former.begin(), former.end(), report.session) != former.end();
  return had_it ? Admission::kRefused : Admission::kReplaces;
}

Worker& WorkerRegistry::Add(const Report& report, absl::Duration now,
                            std::vector<std::string> former) {
  const auto [it, added] = workers_.try_emplace(report.worker);
  ALT_CHECK(added) << report.worker;
  Worker& worker = it->second;
  worker.name = report.worker;
  worker.session = report.session;
  if (former.size() > kMaxFormerSessions) former.erase(former.begin());
  worker.former_sessions = std::move(former);
  worker.last_call = now;
  worker.front_since = now;
  return worker;
}

Worker* WorkerRegistry::Find(const std::string& name) {
  const auto it = workers_.find(name);
  return it == workers_.end() ? nullptr : &it->second;
}

}  // namespace alt::dispatch
