#include "server/service/dispatch_loop.h"

#include <algorithm>
#include <variant>

#include "common/base/log.h"

namespace alt::service {
namespace {

const char* ChangeText(dispatch::WorkerChanged::Change change) {
  switch (change) {
    case dispatch::WorkerChanged::Change::kJoined:
      return "joined";
    case dispatch::WorkerChanged::Change::kLeft:
      return "left";
    case dispatch::WorkerChanged::Change::kLost:
      return "is lost";
    case dispatch::WorkerChanged::Change::kReplaced:
      return "was replaced by a newer one of its name";
  }
  return "";
}

}  // namespace

DispatchLoop::DispatchLoop(dispatch::DispatcherOptions options, const base::Clock& clock,
                           ServerMetrics& metrics)
    : clock_(clock),
      metrics_(metrics),
      dispatcher_(std::move(options)),
      loop_(
          [this] {
            return std::max(dispatcher_.NextWake() - clock_.SteadyNow(), absl::ZeroDuration());
          },
          [this] { Handle(dispatch::Tick{}); }) {}

DispatchLoop::~DispatchLoop() { Stop(); }

void DispatchLoop::Start(DispatchSink& sink) {
  sink_ = &sink;
  loop_.Start();
}

void DispatchLoop::Stop() { loop_.Stop(); }

dispatch::CallId DispatchLoop::Synchronize(dispatch::Report report, ReplyFunction reply) {
  const dispatch::CallId call = ++last_call_;
  loop_.Post([this, call, report = std::move(report), reply = std::move(reply)]() mutable {
    calls_[call] = std::move(reply);
    Handle(dispatch::Synchronize{call, std::move(report)});
  });
  return call;
}

void DispatchLoop::CallEnded(dispatch::CallId call) {
  loop_.Post([this, call] {
    if (calls_.erase(call) > 0) Handle(dispatch::CallEnded{call});
  });
}

void DispatchLoop::Send(dispatch::Event event) {
  loop_.Post([this, event = std::move(event)]() mutable { Handle(std::move(event)); });
}

void DispatchLoop::Inspect(absl::AnyInvocable<void(const dispatch::Dispatcher&)> look) {
  loop_.Post([this, look = std::move(look)]() mutable { look(dispatcher_); });
}

std::vector<measure::Validators> DispatchLoop::ValidatorsOf(const target::Target& target) const {
  std::vector<measure::Validators> out;
  absl::MutexLock lock(&mutex_);
  for (const measure::WorkerFacts& facts : workers_) {
    if (target::Serves(facts.target, target)) out.push_back(facts.validators);
  }
  return out;
}

void DispatchLoop::Handle(dispatch::Event event) {
  for (dispatch::Effect& effect : dispatcher_.Handle(std::move(event), clock_.SteadyNow())) {
    Apply(effect);
  }
}

void DispatchLoop::Apply(dispatch::Effect& effect) {
  if (auto* reply = std::get_if<dispatch::Reply>(&effect)) {
    auto node = calls_.extract(reply->call);
    if (!node.empty()) node.mapped()(std::move(reply->orders));
  } else if (auto* results = std::get_if<dispatch::Results>(&effect)) {
    metrics_.CountResults(*results);
    sink_->OnResults(std::move(*results));
  } else if (auto* refused = std::get_if<dispatch::UnitRefused>(&effect)) {
    sink_->OnUnitRefused(std::move(*refused));
  } else if (auto* changed = std::get_if<dispatch::WorkerChanged>(&effect)) {
    ALT_LOG(INFO) << "worker " << changed->worker << " (" << target::PrintTarget(changed->target)
                  << ") " << ChangeText(changed->change);
    metrics_.CountWorkerChange(*changed);
    std::vector<measure::WorkerFacts> facts;
    for (const dispatch::WorkerView& worker : dispatcher_.Workers()) facts.push_back(worker.facts);
    {
      absl::MutexLock lock(&mutex_);
      workers_ = std::move(facts);
    }
    sink_->OnWorkerChanged(std::move(*changed));
  } else if (const auto* given = std::get_if<dispatch::LeaseGiven>(&effect)) {
    metrics_.ObserveLeaseWait(given->waited);
  }
}

}  // namespace alt::service
