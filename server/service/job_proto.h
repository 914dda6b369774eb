// Jobs and records of the store to and from messages.
#ifndef SERVER_SERVICE_JOB_PROTO_H_
#define SERVER_SERVICE_JOB_PROTO_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "alt/v1/tuning_service.pb.h"
#include "common/measure/environment.h"
#include "common/workload/candidate.h"
#include "server/service/query.h"
#include "server/store/tuning_store.h"

namespace alt::service {

// InvalidArgument for what cannot be read or is out of bounds. Texts of the result are canonical.
absl::StatusOr<store::JobSpec> ReadSpec(const v1::JobSpec& spec);

// {tensor: text} of layouts that are fixed; plain ones have an empty text.
absl::StatusOr<std::map<std::string, std::string>> ReadFixedLayouts(
    const google::protobuf::Map<std::string, v1::Layout>& layouts);

// What is known about a job beside the stored one.
struct LiveFacts {
  int workers = 0;                       // that hold a lease of it
  std::optional<std::string> waits_for;  // a running job that nobody can work on: why
  std::optional<measure::Peak> peak;     // of a machine that serves its target
};

// Internal when the stored texts do not parse any more. The best candidate is read from the store.
absl::StatusOr<v1::Job> ToProto(const store::Job& job, const LiveFacts& facts,
                                const store::TuningStore& store);
// For lists: without progress, except for the numbers of trials.
absl::StatusOr<v1::Job> ToListProto(const store::Job& job);

absl::StatusOr<v1::TuningRecord> ToProto(const store::StoredRecord& record);

v1::AnswerSource ToProto(BestResult::Source source);
absl::string_view SourceName(BestResult::Source source);  // "exact", ...

// JobProgress::text of a bench or peak job.
std::string PrintProgress(const google::protobuf::Message& progress);
absl::StatusOr<v1::BenchProgress> ParseBenchProgress(const std::string& text);
absl::StatusOr<v1::PeakProgress> ParsePeakProgress(const std::string& text);

}  // namespace alt::service

#endif  // SERVER_SERVICE_JOB_PROTO_H_
