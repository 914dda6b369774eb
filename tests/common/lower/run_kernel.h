#ifndef TESTS_COMMON_LOWER_RUN_KERNEL_H_
#define TESTS_COMMON_LOWER_RUN_KERNEL_H_

#include <map>
#include <string>
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

// The same for the values at hand, by the name of the tensor; those of the output are what it
// should be.
using Values = std::map<std::string, std::vector<double>>;
absl::StatusOr<Outputs> RunOn(const Values& logical, const workload::Workload& workload,
                              const workload::Candidate& candidate, const target::Target& target);

}  // namespace alt::testing

#endif  // TESTS_COMMON_LOWER_RUN_KERNEL_H_
