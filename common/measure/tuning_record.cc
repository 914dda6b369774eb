#include "common/measure/tuning_record.h"

#include "absl/strings/str_cat.h"
#include "common/base/fingerprint.h"

namespace alt::measure {

RecordKey KeyOf(const workload::Workload& workload, const target::Target& target,
                const workload::Candidate& candidate) {
  return {workload::Print(workload), target::PrintTarget(target), workload::Print(candidate)};
}

std::string RecordId(const RecordKey& key) {
  return base::Sha256Hex(absl::StrCat(key.workload, "\n", key.target, "\n", key.candidate))
      .substr(0, 16);
}

}  // namespace alt::measure
