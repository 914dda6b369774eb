#include "common/wire/record_wire.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/wire/bounds.h"
#include "common/wire/measure_wire.h"
#include "common/wire/time_wire.h"

namespace alt::wire {
namespace {

absl::StatusOr<measure::Provenance> ReadProvenance(const v1::Provenance& provenance) {
  ALT_RETURN_IF_ERROR(CheckText("job", provenance.job_id()));
  ALT_RETURN_IF_ERROR(CheckText("worker", provenance.worker()));
  measure::Provenance out{
      .job = provenance.job_id(), .trial = provenance.trial(), .worker = provenance.worker()};
  ALT_ASSIGN_OR_RETURN(out.time, FromProto(provenance.time()));
  return out;
}

}  // namespace

v1::TuningRecord ToProto(const measure::TuningRecord& record) {
  v1::TuningRecord out;
  out.set_record_id(record.id);
  out.set_workload(workload::Print(record.workload));
  out.set_target(target::PrintTarget(record.target));
  out.set_candidate(workload::Print(record.candidate));
  *out.mutable_result() = ToProto(record.result);
  v1::Provenance& provenance = *out.mutable_provenance();
  provenance.set_job_id(record.provenance.job);
  provenance.set_trial(record.provenance.trial);
  provenance.set_worker(record.provenance.worker);
  *provenance.mutable_time() = ToProto(record.provenance.time);
  out.mutable_validators()->insert(record.validators.begin(), record.validators.end());
  return out;
}

absl::StatusOr<measure::TuningRecord> FromProto(const v1::TuningRecord& record) {
  measure::TuningRecord out;
  ALT_ASSIGN_OR_RETURN(out.workload, workload::Parse(record.workload()));
  ALT_ASSIGN_OR_RETURN(out.target, target::ParseTarget(record.target()));
  ALT_ASSIGN_OR_RETURN(out.candidate, workload::ParseCandidate(record.candidate()));
  out.id = RecordId(measure::KeyOf(out.workload, out.target, out.candidate));
  if (out.id != record.record_id()) {
    return absl::InvalidArgumentError(
        absl::StrCat("record ", record.record_id(), " holds what ", out.id, " is the id of"));
  }
  ALT_ASSIGN_OR_RETURN(out.result, FromProto(record.result()));
  ALT_ASSIGN_OR_RETURN(out.provenance, ReadProvenance(record.provenance()));
  ALT_RETURN_IF_ERROR(CheckCount("validators", record.validators_size(), kMaxValidators));
  out.validators = {record.validators().begin(), record.validators().end()};
  return out;
}

}  // namespace alt::wire
