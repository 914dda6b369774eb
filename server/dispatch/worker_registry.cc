#include "server/dispatch/worker_registry.h"

#include "common/base/check.h"

namespace alt::dispatch {

WorkerRegistry::Admission WorkerRegistry::Admit(const Report& report) const {
  const auto it = workers_.find(report.worker);
  if (it == workers_.end()) {
    return static_cast<int64_t>(workers_.size()) < max_workers_ ? Admission::kNew
                                                                : Admission::kFull;
  }
  const Worker& worker = it->second;
  if (worker.session == report.session) return Admission::kSame;
  // Of two that started at the same instant the first to come stays.
  return report.session_start_ns > worker.session_start_ns ? Admission::kReplaces
                                                           : Admission::kRefused;
}

Worker& WorkerRegistry::Add(const Report& report, absl::Duration now) {
  const auto [it, added] = workers_.try_emplace(report.worker);
  ALT_CHECK(added) << report.worker;
  Worker& worker = it->second;
  worker.name = report.worker;
  worker.session = report.session;
  worker.session_start_ns = report.session_start_ns;
  worker.last_call = now;
  worker.front_since = now;
  return worker;
}

Worker* WorkerRegistry::Find(const std::string& name) {
  const auto it = workers_.find(name);
  return it == workers_.end() ? nullptr : &it->second;
}

}  // namespace alt::dispatch
