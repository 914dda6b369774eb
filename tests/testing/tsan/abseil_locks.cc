// Makes abseil's locks visible to ThreadSanitizer. Debian builds abseil without it, so the ordering
// that its Mutex, CondVar, Notification and BlockingCounter give would go unseen and every access
// under a lock would be reported. The functions below stand before the library's in symbol lookup
// (also for its calls of its own), tell ThreadSanitizer and call the real ones.
//
// Only in the tsan preset, linked into every test.

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

namespace {

// The next definition of a mangled name in lookup order: the library's.
template <typename Function>
Function* Next(const char* symbol) {
  void* address = dlsym(RTLD_NEXT, symbol);
  if (address == nullptr) {
    std::fprintf(stderr, "abseil_locks.cc: this abseil has no %s\n", symbol);
    std::abort();
  }
  return reinterpret_cast<Function*>(address);
}

// Mutexes that this thread holds shared: the library does not say how a lock is held.
thread_local std::vector<const absl::Mutex*> held_shared;

unsigned FlagsOf(const absl::Mutex* mutex) {
  const bool shared = std::count(held_shared.begin(), held_shared.end(), mutex) > 0;
  return shared ? __tsan_mutex_read_lock : 0;
}

void BeforeLock(absl::Mutex* mutex, unsigned flags) { __tsan_mutex_pre_lock(mutex, flags); }

void AfterLock(absl::Mutex* mutex, unsigned flags, bool locked = true) {
  if (locked && (flags & __tsan_mutex_read_lock)) held_shared.push_back(mutex);
  if (!locked) flags |= __tsan_mutex_try_lock_failed;
  __tsan_mutex_post_lock(mutex, flags, 0);
}

unsigned BeforeUnlock(absl::Mutex* mutex) {
  const unsigned flags = FlagsOf(mutex);
  if (flags != 0) held_shared.erase(std::find(held_shared.begin(), held_shared.end(), mutex));
  __tsan_mutex_pre_unlock(mutex, flags);
  return flags;
}

void AfterUnlock(absl::Mutex* mutex, unsigned flags) { __tsan_mutex_post_unlock(mutex, flags); }

// A wait gives the lock up and takes it back. Accesses of the real call, such as evaluating a
// condition, happen under the lock; ThreadSanitizer ignores them between BeforeLock and AfterLock.
template <typename Call>
auto Waiting(absl::Mutex* mutex, Call call) {
  const unsigned flags = BeforeUnlock(mutex);
  AfterUnlock(mutex, flags);
  BeforeLock(mutex, flags);
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    AfterLock(mutex, flags);
  } else {
    const auto result = call();
    AfterLock(mutex, flags);
    return result;
  }
}

template <typename Call>
void Locking(absl::Mutex* mutex, unsigned flags, Call call) {
  BeforeLock(mutex, flags);
  call();
  AfterLock(mutex, flags);
}

template <typename Call>
bool TryLocking(absl::Mutex* mutex, unsigned flags, Call call) {
  flags |= __tsan_mutex_try_lock;
  BeforeLock(mutex, flags);
  const bool locked = call();
  AfterLock(mutex, flags, locked);
  return locked;
}

template <typename Call>
void Unlocking(absl::Mutex* mutex, Call call) {
  const unsigned flags = BeforeUnlock(mutex);
  call();
  AfterUnlock(mutex, flags);
}

}  // namespace

// REAL(function type, "mangled name without its start"): the library's function.
#define REAL(type, symbol)                                           \
  ([] {                                                              \
    static auto* const next = Next<type>("_ZN4absl7debian3" symbol); \
    return next;                                                     \
  }())
#define REAL_CONST(type, symbol)                                      \
  ([] {                                                               \
    static auto* const next = Next<type>("_ZNK4absl7debian3" symbol); \
    return next;                                                      \
  }())

#pragma GCC visibility push(default)
namespace absl {
ABSL_NAMESPACE_BEGIN

constexpr unsigned kWrite = 0;
constexpr unsigned kRead = __tsan_mutex_read_lock;

Mutex::~Mutex() {
  REAL(void(Mutex*), "5MutexD1Ev")(this);
  __tsan_mutex_destroy(this, 0);
}

void Mutex::Lock() {
  Locking(this, kWrite, [&] { REAL(void(Mutex*), "5Mutex4LockEv")(this); });
}
void Mutex::ReaderLock() {
  Locking(this, kRead, [&] { REAL(void(Mutex*), "5Mutex10ReaderLockEv")(this); });
}
void Mutex::Unlock() {
  Unlocking(this, [&] { REAL(void(Mutex*), "5Mutex6UnlockEv")(this); });
}
void Mutex::ReaderUnlock() {
  Unlocking(this, [&] { REAL(void(Mutex*), "5Mutex12ReaderUnlockEv")(this); });
}
bool Mutex::TryLock() {
  return TryLocking(this, kWrite, [&] { return REAL(bool(Mutex*), "5Mutex7TryLockEv")(this); });
}
bool Mutex::ReaderTryLock() {
  return TryLocking(this, kRead,
                    [&] { return REAL(bool(Mutex*), "5Mutex13ReaderTryLockEv")(this); });
}

void Mutex::LockWhen(const Condition& condition) {
  Locking(this, kWrite, [&] {
    REAL(void(Mutex*, const Condition&), "5Mutex8LockWhenERKNS0_9ConditionE")(this, condition);
  });
}
void Mutex::ReaderLockWhen(const Condition& condition) {
  Locking(this, kRead, [&] {
    REAL(void(Mutex*, const Condition&), "5Mutex14ReaderLockWhenERKNS0_9ConditionE")
    (this, condition);
  });
}

// The lock is held afterwards whether or not the condition came true in time.
#define LOCK_WHEN(name, flags, Limit, symbol)                                               \
  bool Mutex::name(const Condition& condition, Limit limit) {                               \
    bool result = false;                                                                    \
    Locking(this, flags, [&] {                                                              \
      result = REAL(bool(Mutex*, const Condition&, Limit), symbol)(this, condition, limit); \
    });                                                                                     \
    return result;                                                                          \
  }
LOCK_WHEN(LockWhenWithTimeout, kWrite, Duration,
          "5Mutex19LockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE")
LOCK_WHEN(LockWhenWithDeadline, kWrite, Time,
          "5Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE")
LOCK_WHEN(ReaderLockWhenWithTimeout, kRead, Duration,
          "5Mutex25ReaderLockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE")
LOCK_WHEN(ReaderLockWhenWithDeadline, kRead, Time,
          "5Mutex26ReaderLockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE")

void Mutex::Await(const Condition& condition) {
  Waiting(this, [&] {
    REAL(void(Mutex*, const Condition&), "5Mutex5AwaitERKNS0_9ConditionE")(this, condition);
  });
}
bool Mutex::AwaitWithTimeout(const Condition& condition, Duration timeout) {
  return Waiting(this, [&] {
    return REAL(bool(Mutex*, const Condition&, Duration),
                "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE")(this, condition,
                                                                            timeout);
  });
}
bool Mutex::AwaitWithDeadline(const Condition& condition, Time deadline) {
  return Waiting(this, [&] {
    return REAL(bool(Mutex*, const Condition&, Time),
                "5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE")(this, condition, deadline);
  });
}

void CondVar::Wait(Mutex* mutex) {
  Waiting(mutex, [&] { REAL(void(CondVar*, Mutex*), "7CondVar4WaitEPNS0_5MutexE")(this, mutex); });
}
bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  return Waiting(mutex, [&] {
    return REAL(bool(CondVar*, Mutex*, Duration),
                "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE")(this, mutex, timeout);
  });
}
bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  return Waiting(mutex, [&] {
    return REAL(bool(CondVar*, Mutex*, Time), "7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE")(
        this, mutex, deadline);
  });
}

void Notification::Notify() {
  // HasBeenNotified is inline and acquires from the flag, which the library's store releases
  // unseen.
  __tsan_release(&notified_yet_);
  REAL(void(Notification*), "12Notification6NotifyEv")(this);
}
void Notification::WaitForNotification() const {
  REAL_CONST(void(const Notification*), "12Notification19WaitForNotificationEv")(this);
  __tsan_acquire(const_cast<std::atomic<bool>*>(&notified_yet_));
}
bool Notification::WaitForNotificationWithTimeout(Duration timeout) const {
  const bool notified =
      REAL_CONST(bool(const Notification*, Duration),
                 "12Notification30WaitForNotificationWithTimeoutENS0_8DurationE")(this, timeout);
  if (notified) __tsan_acquire(const_cast<std::atomic<bool>*>(&notified_yet_));
  return notified;
}
bool Notification::WaitForNotificationWithDeadline(Time deadline) const {
  const bool notified =
      REAL_CONST(bool(const Notification*, Time),
                 "12Notification31WaitForNotificationWithDeadlineENS0_4TimeE")(this, deadline);
  if (notified) __tsan_acquire(const_cast<std::atomic<bool>*>(&notified_yet_));
  return notified;
}

bool BlockingCounter::DecrementCount() {
  __tsan_release(this);
  return REAL(bool(BlockingCounter*), "15BlockingCounter14DecrementCountEv")(this);
}
void BlockingCounter::Wait() {
  REAL(void(BlockingCounter*), "15BlockingCounter4WaitEv")(this);
  __tsan_acquire(this);
}

ABSL_NAMESPACE_END
}  // namespace absl
#pragma GCC visibility pop
