// What a kernel cannot be faster than, and what is not worth running.
#ifndef WORKER_MEASURE_PLAUSIBILITY_H_
#define WORKER_MEASURE_PLAUSIBILITY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "common/runtime/artifact.h"

namespace alt::worker {

struct MachineSpeed {
  double gflops = 0;       // all threads of the kernel
  double l1_read_gbs = 0;  // likewise
};

// Half of what the machine needs at least, for slack: clocks, bounds, timers. A latency below it is
// a bug of ours or of the kernel.
double ImplausibleBelowNs(int64_t products, double compulsory_bytes, const MachineSpeed& speed);

// Why the machine code is hopeless, if it is: inner loops that move more registers to and from the
// stack than half of their FMAs spend most of their time on that.
std::optional<std::string> HopelessCode(const runtime::CodeFacts& facts);

}  // namespace alt::worker

#endif  // WORKER_MEASURE_PLAUSIBILITY_H_
