#ifndef COMMON_MEASURE_PROVENANCE_H_
#define COMMON_MEASURE_PROVENANCE_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"

namespace alt::measure {

// Who measured, for which job, and when.
struct Provenance {
  std::string job;     // "" for records that no job asked for
  int64_t trial = 0;   // from 1, within the job; 0: not a trial
  std::string worker;  // its name
  absl::Time time;     // microseconds are kept
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// Finer facts than the target, compared on use: a record measured under other values is not trusted
// blindly (codegen version, LLVM version, cpu model name, ...).
using Validators = std::map<std::string, std::string>;

}  // namespace alt::measure

#endif  // COMMON_MEASURE_PROVENANCE_H_
