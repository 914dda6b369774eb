#ifndef TESTS_COMMON_LOWER_RUN_KERNEL_H_
#define TESTS_COMMON_LOWER_RUN_KERNEL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/base/random.h"
#include "common/lower/lower.h"

namespace alt::testing {

// The output of a workload two ways, both in its physical layout: by the interpreter on the lowered
// kernel, and by the naive evaluation of the logical graph, packed. Inputs are small integers.
struct Outputs {
  std::vector<double> kernel;
  std::vector<double> reference;
};
absl::StatusOr<Outputs> RunBoth(const workload::Workload& workload,
                                const workload::Candidate& candidate, const target::Target& target,
                                base::Random& random);

}  // namespace alt::testing

#endif  // TESTS_COMMON_LOWER_RUN_KERNEL_H_
