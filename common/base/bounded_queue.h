// A queue between threads that holds at most `capacity` items.
#ifndef COMMON_BASE_BOUNDED_QUEUE_H_
#define COMMON_BASE_BOUNDED_QUEUE_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/check.h"

namespace alt::base {

// First in, first out. After Close, pushes are refused and pops drain what is left. Safe from every
// thread; destroyed when nobody waits in it.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) { ALT_CHECK_GT(capacity, 0u); }
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  // Waits for room. False: the queue is closed and `item` is dropped.
  bool Push(T item) {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &BoundedQueue::MayPush));
    if (closed_) return false;
    items_.push_back(std::move(item));
    return true;
  }

  // False when there is no room or the queue is closed; `item` is then left as it was.
  bool TryPush(T&& item) {
    absl::MutexLock lock(&mutex_);
    if (closed_ || items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    return true;
  }

  // Waits for an item. None: the queue is closed and empty.
  std::optional<T> Pop() { return PopFor(absl::InfiniteDuration()); }

  // The same; none as well when `timeout` passes first.
  std::optional<T> PopFor(absl::Duration timeout) {
    absl::MutexLock lock(&mutex_);
    mutex_.AwaitWithTimeout(absl::Condition(this, &BoundedQueue::MayPop), timeout);
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  std::optional<T> TryPop() { return PopFor(absl::ZeroDuration()); }

  void Close() {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
  }

  size_t size() const {
    absl::MutexLock lock(&mutex_);
    return items_.size();
  }

 private:
  bool MayPush() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ || items_.size() < capacity_;
  }
  bool MayPop() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return closed_ || !items_.empty(); }

  const size_t capacity_;
  mutable absl::Mutex mutex_;
  std::deque<T> items_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace alt::base

#endif  // COMMON_BASE_BOUNDED_QUEUE_H_
