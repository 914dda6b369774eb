// Random values of everything that crosses the wire. Legal for the wire, not for lowering.
#ifndef TESTS_COMMON_WIRE_RANDOM_VALUES_H_
#define TESTS_COMMON_WIRE_RANDOM_VALUES_H_

#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/measure/measurer.h"
#include "common/measure/tuning_record.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

namespace alt::wire {

// `alternative` picks the kind of primitive or instruction, so that a test can walk all of them.
layout::Primitive RandomPrimitive(base::Random& random, size_t alternative);
layout::Layout RandomLayout(base::Random& random);
schedule::Instruction RandomInstruction(base::Random& random, size_t alternative);
workload::Candidate RandomCandidate(base::Random& random);
workload::Workload RandomWorkload(base::Random& random);
target::Target RandomTarget(base::Random& random);
measure::MeasureResult RandomResult(base::Random& random, measure::Outcome outcome);
measure::MeasureRequest RandomRequest(base::Random& random);
measure::TuningRecord RandomRecord(base::Random& random);

}  // namespace alt::wire

#endif  // TESTS_COMMON_WIRE_RANDOM_VALUES_H_
