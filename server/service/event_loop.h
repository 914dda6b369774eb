// One thread that owns some state: others post closures, and time passes.
#ifndef SERVER_SERVICE_EVENT_LOOP_H_
#define SERVER_SERVICE_EVENT_LOOP_H_

#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace alt::service {

// Post may come from any thread, also from the loop's own. Everything else belongs to its owner.
class EventLoop {
 public:
  using Task = absl::AnyInvocable<void()>;

  // next_wake: how long until on_wake wants to be called; asked on the loop after each round of
  // tasks. Both may be empty.
  explicit EventLoop(std::function<absl::Duration()> next_wake = nullptr,
                     std::function<void()> on_wake = nullptr);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop() { Stop(); }

  // Not before the members that tasks use are ready.
  void Start();
  // Runs what has been posted, then ends; later posts are dropped.
  void Stop();

  void Post(Task task);

 private:
  void Run();

  const std::function<absl::Duration()> next_wake_;
  const std::function<void()> on_wake_;
  absl::Mutex mutex_;
  std::vector<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace alt::service

#endif  // SERVER_SERVICE_EVENT_LOOP_H_
