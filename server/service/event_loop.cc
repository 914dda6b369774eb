#include "server/service/event_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace alt::service {
namespace {

constexpr absl::Duration kLongestWait = absl::Hours(1);  // within what a time point can hold

}  // namespace

EventLoop::EventLoop(std::function<absl::Duration()> next_wake, std::function<void()> on_wake)
    : next_wake_(std::move(next_wake)), on_wake_(std::move(on_wake)) {}

void EventLoop::Start() {
  thread_ = std::thread([this] { Run(); });
}

void EventLoop::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void EventLoop::Post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void EventLoop::Run() {
  using Clock = std::chrono::steady_clock;
  while (true) {
    const absl::Duration wait = next_wake_ ? next_wake_() : absl::InfiniteDuration();
    const Clock::time_point wake =
        Clock::now() + absl::ToChronoNanoseconds(std::min(wait, kLongestWait));
    std::vector<Task> tasks;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, wake, [this] { return stopped_ || !tasks_.empty(); });
      tasks.swap(tasks_);
      if (stopped_ && tasks.empty()) return;
    }
    for (Task& task : tasks) task();
    if (on_wake_ && Clock::now() >= wake) on_wake_();
  }
}

}  // namespace alt::service
