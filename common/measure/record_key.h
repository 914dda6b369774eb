#ifndef COMMON_MEASURE_RECORD_KEY_H_
#define COMMON_MEASURE_RECORD_KEY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace alt::measure {

// Id of a tuning record from the canonical texts of its keys: the first 16 hex digits of SHA-256
// over workload, target and candidate, a newline after each of the first two.
std::string RecordIdOfTexts(absl::string_view workload, absl::string_view target,
                            absl::string_view candidate);

}  // namespace alt::measure

#endif  // COMMON_MEASURE_RECORD_KEY_H_
