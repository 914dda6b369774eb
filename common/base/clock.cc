#include "common/base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace alt::base {

absl::Time RealClock::Now() const { return absl::Now(); }

absl::Duration RealClock::SteadyNow() const {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace alt::base
