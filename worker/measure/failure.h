#ifndef WORKER_MEASURE_FAILURE_H_
#define WORKER_MEASURE_FAILURE_H_

#include <string>

#include "common/measure/measure_result.h"

namespace alt::worker {

// How a candidate failed, and why: the outcome of its measurement.
struct Failure {
  measure::Outcome outcome;
  std::string message;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_FAILURE_H_
