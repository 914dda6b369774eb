// What is known about the machine that measures.
#ifndef COMMON_MEASURE_ENVIRONMENT_H_
#define COMMON_MEASURE_ENVIRONMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/measure/tuning_record.h"
#include "common/target/target.h"

namespace alt::measure {

// One level of data caches, of those CPUs that kernels run on.
struct CacheLevel {
  int level = 1;
  int64_t bytes = 0;    // of one cache
  double read_gbs = 0;  // reading from it with all threads at once, 1e9 bytes a second
  friend bool operator==(const CacheLevel&, const CacheLevel&) = default;
};

// Measured limits of a machine: how fast its FMA units, its caches and its memory are.
struct Peak {
  double gflops_1t = 0;  // one core
  double gflops = 0;     // all `threads` together
  int threads = 1;
  double read_gbs = 0;             // reading from memory with all threads, 1e9 bytes a second
  std::vector<CacheLevel> caches;  // from the first level to the last; those that are known
  std::string cpu;  // its own name, and how its mcpu was found; one line, for people
  friend bool operator==(const Peak&, const Peak&) = default;
};

// What a worker says about itself.
struct WorkerFacts {
  target::Target target;  // with the most threads that the worker lends
  int64_t l1_bytes = 32 << 10;
  int64_t l2_bytes = 1 << 20;  // the last private cache
  std::optional<Peak> peak;    // absent until measured
  int64_t memory_bytes = 0;    // most that measuring one workload may take; 0: unknown
  std::string host;            // for people
  int64_t pid = 0;
  Validators validators;  // versions and models that its records are valid for
};

}  // namespace alt::measure

#endif  // COMMON_MEASURE_ENVIRONMENT_H_
