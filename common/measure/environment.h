// What is known about the machine that measures.
#ifndef COMMON_MEASURE_ENVIRONMENT_H_
#define COMMON_MEASURE_ENVIRONMENT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "common/measure/tuning_record.h"
#include "common/target/target.h"

namespace alt::measure {

// Measured limits of a machine: how fast its FMA units and its memory are.
struct Peak {
  double gflops_1t = 0;  // one core
  double gflops = 0;     // all `threads` together
  int threads = 1;
  double read_gbs = 0;  // reading from memory with all threads, 1e9 bytes a second
  friend bool operator==(const Peak&, const Peak&) = default;
};

// What a worker says about itself.
struct WorkerFacts {
  target::Target target;  // with the most threads that the worker lends
  int64_t l1_bytes = 32 << 10;
  int64_t l2_bytes = 1 << 20;  // the last private cache
  std::optional<Peak> peak;    // absent until measured
  std::string host;            // for people
  int64_t pid = 0;
  Validators validators;  // versions and models that its records are valid for
};

}  // namespace alt::measure

#endif  // COMMON_MEASURE_ENVIRONMENT_H_
