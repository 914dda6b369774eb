// One thread that owns some state: others post closures, and time passes.
#ifndef SERVER_SERVICE_EVENT_LOOP_H_
#define SERVER_SERVICE_EVENT_LOOP_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace alt::service {

// Post may come from any thread, also from the loop's own. Everything else belongs to its owner.
class EventLoop {
 public:
  using Task = absl::AnyInvocable<void()>;

  // next_wake: how long until on_wake wants to be called; asked on the loop after each round of
  // tasks. May be called early. Both may be empty.
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
  // Not absl's, whose waits with a timeout end by the wall clock: when that is set back they last
  // as much longer.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Task> tasks_;  // under mutex_
  bool stopped_ = false;     // under mutex_
  std::thread thread_;
};

}  // namespace alt::service

#endif  // SERVER_SERVICE_EVENT_LOOP_H_
