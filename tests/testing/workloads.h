// Random workloads for tests.
#ifndef TESTS_TESTING_WORKLOADS_H_
#define TESTS_TESTING_WORKLOADS_H_

#include "common/base/random.h"
#include "common/workload/workload.h"

namespace alt::testing {

// Valid, and small enough for the naive evaluator (a few thousand multiply-adds). Groups,
// depthwise, strides, dilations, asymmetric pads, windows larger than the input and extents of one
// all occur.
workload::Conv2d RandomConv2d(base::Random& random);
workload::Matmul RandomMatmul(base::Random& random);
workload::Workload RandomWorkload(base::Random& random);

}  // namespace alt::testing

#endif  // TESTS_TESTING_WORKLOADS_H_
