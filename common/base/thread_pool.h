// Worker threads for the programs' own work (building candidates, serving requests). Kernels have a
// pool of their own in common/runtime.
#ifndef COMMON_BASE_THREAD_POOL_H_
#define COMMON_BASE_THREAD_POOL_H_

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "common/base/bounded_queue.h"

namespace alt::base {

// A fixed number of threads that share one bounded queue. Safe from every thread, except that a
// task must neither wait for the pool nor Schedule on it: with all threads waiting nothing would
// move.
class ThreadPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  explicit ThreadPool(int num_threads, size_t queue_capacity = 1024);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Finishes all tasks that were accepted.
  ~ThreadPool();

  int num_threads() const { return static_cast<int>(threads_.size()); }

  // Waits for room in the queue.
  void Schedule(Task task);

  // False when the queue is full.
  bool TrySchedule(Task task);

  // Waits until every task scheduled so far, by anyone, is finished.
  void WaitIdle();

  // Calls body(0) ... body(n - 1) on the pool, in any order, and waits for them.
  void ParallelFor(int n, const std::function<void(int)>& body);

 private:
  void Work();
  void FinishTask();
  bool Idle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return unfinished_ == 0; }

  BoundedQueue<Task> queue_;
  absl::Mutex mutex_;
  size_t unfinished_ ABSL_GUARDED_BY(mutex_) = 0;  // queued or running
  std::vector<std::thread> threads_;
};

}  // namespace alt::base

#endif  // COMMON_BASE_THREAD_POOL_H_
