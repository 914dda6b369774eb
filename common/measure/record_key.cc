#include "common/measure/record_key.h"

#include "absl/strings/str_cat.h"
#include "common/base/fingerprint.h"

namespace alt::measure {

std::string RecordIdOfTexts(absl::string_view workload, absl::string_view target,
                            absl::string_view candidate) {
  return base::Sha256Hex(absl::StrCat(workload, "\n", target, "\n", candidate)).substr(0, 16);
}

}  // namespace alt::measure
