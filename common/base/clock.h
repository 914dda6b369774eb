// Time as a dependency: what waits or stamps takes a Clock, so that tests and the simulator can
// move it by hand (tests/testing/fake_clock.h).
#ifndef COMMON_BASE_CLOCK_H_
#define COMMON_BASE_CLOCK_H_

#include "absl/time/time.h"

namespace alt::base {

// Safe from every thread.
class Clock {
 public:
  virtual ~Clock() = default;

  // Wall-clock time: for records and logs. It may jump.
  virtual absl::Time Now() const = 0;

  // Time since an unspecified origin: for deadlines and latencies. It never goes back.
  virtual absl::Duration SteadyNow() const = 0;
};

class RealClock : public Clock {
 public:
  absl::Time Now() const override;
  absl::Duration SteadyNow() const override;
};

}  // namespace alt::base

#endif  // COMMON_BASE_CLOCK_H_
