// A clock that moves only when it is told to.
#ifndef TESTS_TESTING_FAKE_CLOCK_H_
#define TESTS_TESTING_FAKE_CLOCK_H_

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/base/check.h"
#include "common/base/clock.h"

namespace alt::testing {

// Starts at 2026-01-01 00:00 UTC and steady time 0. Safe from every thread.
class FakeClock : public base::Clock {
 public:
  absl::Time Now() const override {
    absl::MutexLock lock(&mutex_);
    return now_;
  }

  absl::Duration SteadyNow() const override {
    absl::MutexLock lock(&mutex_);
    return steady_;
  }

  // Time passes on both clocks.
  void Advance(absl::Duration duration) {
    ALT_CHECK_GE(duration, absl::ZeroDuration());
    absl::MutexLock lock(&mutex_);
    now_ += duration;
    steady_ += duration;
  }

  // An administrator or NTP sets the wall clock; steady time goes on.
  void SetWallTime(absl::Time now) {
    absl::MutexLock lock(&mutex_);
    now_ = now;
  }

 private:
  mutable absl::Mutex mutex_;
  absl::Time now_ ABSL_GUARDED_BY(mutex_) = absl::FromUnixSeconds(1767225600);
  absl::Duration steady_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();
};

}  // namespace alt::testing

#endif  // TESTS_TESTING_FAKE_CLOCK_H_
