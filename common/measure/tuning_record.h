#ifndef COMMON_MEASURE_TUNING_RECORD_H_
#define COMMON_MEASURE_TUNING_RECORD_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "common/measure/measure_result.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

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

// What the database stores: one for each (workload, target, candidate).
struct TuningRecord {
  std::string id;  // RecordId of its keys
  workload::Workload workload;
  target::Target target;
  workload::Candidate candidate;
  MeasureResult result;
  Provenance provenance;
  Validators validators;
};

// The three keys of a record, as canonical text.
struct RecordKey {
  std::string workload, target, candidate;
  friend bool operator==(const RecordKey&, const RecordKey&) = default;
};
RecordKey KeyOf(const workload::Workload& workload, const target::Target& target,
                const workload::Candidate& candidate);
// The id of its record: the first 16 hex digits of SHA-256 over the three texts, a newline after
// each of the first two.
std::string RecordId(const RecordKey& key);

}  // namespace alt::measure

#endif  // COMMON_MEASURE_TUNING_RECORD_H_
