#ifndef COMMON_MEASURE_TUNING_RECORD_H_
#define COMMON_MEASURE_TUNING_RECORD_H_

#include <string>

#include "common/measure/measure_result.h"
#include "common/measure/provenance.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

namespace alt::measure {

// What the database stores: one for each (workload, target, candidate).
struct TuningRecord {
  std::string id;  // RecordId of the three keys
  workload::Workload workload;
  target::Target target;
  workload::Candidate candidate;
  MeasureResult result;
  Provenance provenance;
  Validators validators;
};

// First 16 hex digits of SHA-256 over workload text, target text and candidate text.
std::string RecordId(const workload::Workload& workload, const target::Target& target,
                     const workload::Candidate& candidate);

}  // namespace alt::measure

#endif  // COMMON_MEASURE_TUNING_RECORD_H_
