// The clock of all timing of kernels.
#ifndef COMMON_RUNTIME_CPU_STEADY_CLOCK_H_
#define COMMON_RUNTIME_CPU_STEADY_CLOCK_H_

#include <time.h>

namespace alt::runtime {

// Nanoseconds since some origin. About 20 ns a call.
inline double NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_CPU_STEADY_CLOCK_H_
