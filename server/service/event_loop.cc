#include "server/service/event_loop.h"

#include <utility>

#include "absl/time/clock.h"

namespace alt::service {

EventLoop::EventLoop(std::function<absl::Duration()> next_wake, std::function<void()> on_wake)
    : next_wake_(std::move(next_wake)), on_wake_(std::move(on_wake)) {}

void EventLoop::Start() {
  thread_ = std::thread([this] { Run(); });
}

void EventLoop::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void EventLoop::Post(Task task) {
  absl::MutexLock lock(&mutex_);
  if (!stopped_) tasks_.push_back(std::move(task));
}

void EventLoop::Run() {
  const auto busy = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopped_ || !tasks_.empty();
  };
  while (true) {
    const absl::Time wake = next_wake_ ? absl::Now() + next_wake_() : absl::InfiniteFuture();
    std::vector<Task> tasks;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.AwaitWithDeadline(absl::Condition(&busy), wake);
      tasks.swap(tasks_);
      if (stopped_ && tasks.empty()) return;
    }
    for (Task& task : tasks) task();
    if (on_wake_ && absl::Now() >= wake) on_wake_();
  }
}

}  // namespace alt::service
