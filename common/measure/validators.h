// What the numbers of a record are good for, beside its target.
#ifndef COMMON_MEASURE_VALIDATORS_H_
#define COMMON_MEASURE_VALIDATORS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "common/measure/tuning_record.h"
#include "common/target/host.h"

namespace alt::measure {

// The machine (its CPU's name, its private caches) and the code generator (its own number, and the
// version of LLVM under it). A record that was measured under other values is no exact answer.
Validators ValidatorsOf(const target::HostFacts& host, int code_generator, absl::string_view llvm);

// "llvm=18 instead of 19, cpu unknown instead of X": values of `then` that differ from `now`.
std::string DescribeDifference(const Validators& then, const Validators& now);

}  // namespace alt::measure

#endif  // COMMON_MEASURE_VALIDATORS_H_
