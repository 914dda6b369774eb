// The dispatcher with a thread around it.
#ifndef SERVER_SERVICE_DISPATCH_LOOP_H_
#define SERVER_SERVICE_DISPATCH_LOOP_H_

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "common/base/clock.h"
#include "server/dispatch/dispatcher.h"
#include "server/service/event_loop.h"
#include "server/service/server_metrics.h"

namespace alt::service {

// Who is told what workers bring. Called on the dispatcher's thread: hand over and return.
class DispatchSink {
 public:
  virtual ~DispatchSink() = default;
  virtual void OnResults(dispatch::Results results) = 0;
  virtual void OnUnitRefused(dispatch::UnitRefused refused) = 0;
  virtual void OnWorkerChanged(dispatch::WorkerChanged changed) = 0;
};

// Safe from every thread. Events are handled in the order of the calls.
class DispatchLoop {
 public:
  using ReplyFunction = std::function<void(dispatch::Orders)>;

  DispatchLoop(dispatch::DispatcherOptions options, const base::Clock& clock,
               ServerMetrics& metrics);
  ~DispatchLoop();

  // Before anything else; sink must outlive Stop.
  void Start(DispatchSink& sink);
  void Stop();

  // A worker calls; reply comes once, on the loop, unless CallEnded came before.
  dispatch::CallId Synchronize(dispatch::Report report, ReplyFunction reply);
  void CallEnded(dispatch::CallId call);
  // Any other event.
  void Send(dispatch::Event event);
  // What the registered workers that serve a target say that their measurements are good for.
  std::vector<measure::Validators> ValidatorsOf(const target::Target& target) const;
  // Looks at the dispatcher, on the loop.
  void Inspect(absl::AnyInvocable<void(const dispatch::Dispatcher&)> look);

 private:
  void Handle(dispatch::Event event);
  void Apply(dispatch::Effect& effect);

  const base::Clock& clock_;
  ServerMetrics& metrics_;
  DispatchSink* sink_ = nullptr;
  std::atomic<dispatch::CallId> last_call_{0};
  // Of the loop.
  dispatch::Dispatcher dispatcher_;
  std::map<dispatch::CallId, ReplyFunction> calls_;
  mutable absl::Mutex mutex_;
  std::vector<measure::WorkerFacts> workers_ ABSL_GUARDED_BY(mutex_);
  EventLoop loop_;  // last: its thread uses the others
};

}  // namespace alt::service

#endif  // SERVER_SERVICE_DISPATCH_LOOP_H_
