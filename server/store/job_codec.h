// Parts of jobs and their logs as text (text_fields.h), for the columns that no query looks into.
// Decode(Encode(x)) == x, with times and durations in whole microseconds. Decoders return DataLoss,
// or InvalidArgument for a workload, target, layout or candidate that this version does not take.
#ifndef SERVER_STORE_JOB_CODEC_H_
#define SERVER_STORE_JOB_CODEC_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/job.h"

namespace alt::store {

std::string Encode(const job::JobSpec& spec);
std::string Encode(const JobStart& start);
std::string Encode(const job::JobProgress& progress);
std::string Encode(const LogEvent& event);
std::string Encode(const measure::Validators& validators);

absl::StatusOr<job::JobSpec> DecodeSpec(absl::string_view text);
absl::StatusOr<JobStart> DecodeStart(absl::string_view text);
// Of a job of this spec; without the candidate of the best, which is its record's.
absl::StatusOr<job::JobProgress> DecodeProgress(absl::string_view text, const job::JobSpec& spec);
absl::StatusOr<LogEvent> DecodeEvent(absl::string_view text);
absl::StatusOr<measure::Validators> DecodeValidators(absl::string_view text);

}  // namespace alt::store

#endif  // SERVER_STORE_JOB_CODEC_H_
