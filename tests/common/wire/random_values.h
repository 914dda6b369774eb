// Random values of what is measured. Texts that cross the wire have tests where they are parsed.
#ifndef TESTS_COMMON_WIRE_RANDOM_VALUES_H_
#define TESTS_COMMON_WIRE_RANDOM_VALUES_H_

#include "common/base/random.h"
#include "common/measure/measurer.h"
#include "common/measure/tuning_record.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

namespace alt::wire {

workload::Candidate RandomCandidate(base::Random& random);
workload::Workload RandomWorkload(base::Random& random);
target::Target RandomTarget(base::Random& random);
measure::MeasureResult RandomResult(base::Random& random, measure::Outcome outcome);
measure::MeasureRequest RandomRequest(base::Random& random);
measure::TuningRecord RandomRecord(base::Random& random);

}  // namespace alt::wire

#endif  // TESTS_COMMON_WIRE_RANDOM_VALUES_H_
