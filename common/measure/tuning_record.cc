#include "common/measure/tuning_record.h"

#include "common/measure/record_key.h"

namespace alt::measure {

std::string RecordId(const workload::Workload& workload, const target::Target& target,
                     const workload::Candidate& candidate) {
  return RecordIdOfTexts(workload::Print(workload), target::PrintTarget(target),
                         workload::Print(candidate));
}

}  // namespace alt::measure
