#include "common/base/thread_pool.h"

#include <atomic>
#include <optional>
#include <utility>

#include "absl/synchronization/blocking_counter.h"
#include "common/base/check.h"

namespace alt::base {

ThreadPool::ThreadPool(int num_threads, size_t queue_capacity) : queue_(queue_capacity) {
  ALT_CHECK_GT(num_threads, 0);
  threads_.reserve(static_cast<size_t>(num_threads));
  for (int i = 0; i < num_threads; ++i) threads_.emplace_back([this] { Work(); });
}

ThreadPool::~ThreadPool() {
  queue_.Close();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Schedule(Task task) {
  {
    absl::MutexLock lock(&mutex_);
    ++unfinished_;
  }
  ALT_CHECK(queue_.Push(std::move(task))) << "scheduled on a pool that is being destroyed";
}

bool ThreadPool::TrySchedule(Task task) {
  {
    absl::MutexLock lock(&mutex_);
    ++unfinished_;
  }
  const bool accepted = queue_.TryPush(std::move(task));
  if (!accepted) FinishTask();
  return accepted;
}

void ThreadPool::WaitIdle() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &ThreadPool::Idle));
}

void ThreadPool::ParallelFor(int n, const std::function<void(int)>& body) {
  if (n <= 0) return;
  // One task a thread; each takes the next index, so uneven bodies balance.
  const int tasks = n < num_threads() ? n : num_threads();
  std::atomic<int> next{0};
  absl::BlockingCounter running(tasks);
  for (int t = 0; t < tasks; ++t) {
    Schedule([&] {
      for (int i = next.fetch_add(1); i < n; i = next.fetch_add(1)) body(i);
      running.DecrementCount();
    });
  }
  running.Wait();
}

void ThreadPool::Work() {
  while (std::optional<Task> task = queue_.Pop()) {
    (*task)();
    task.reset();  // what the task owned is gone before WaitIdle returns
    FinishTask();
  }
}

void ThreadPool::FinishTask() {
  absl::MutexLock lock(&mutex_);
  --unfinished_;
}

}  // namespace alt::base
