#include "server/store/mutation_check.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "server/store/store_index.h"

namespace alt::store {
namespace {

constexpr size_t kMaxTextBytes = 1 << 20;

absl::Status CheckText(absl::string_view what, absl::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat(what, " has ", text.size(), " bytes"));
  }
  // SQLite's text functions end at a NUL.
  if (text.find('\0') != absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(what, " has a NUL byte"));
  }
  return absl::OkStatus();
}

absl::Status CheckName(absl::string_view what, absl::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError(absl::StrCat(what, " is empty"));
  return CheckText(what, text);
}

absl::Status CheckKey(const RecordKey& key) {
  ALT_RETURN_IF_ERROR(CheckName("workload", key.workload));
  ALT_RETURN_IF_ERROR(CheckName("target", key.target));
  return CheckName("candidate", key.candidate);
}

absl::Status CheckResult(const measure::MeasureResult& result) {
  const bool ok = result.outcome == measure::Outcome::kOk;
  if (ok != result.latency.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("a result that is ",
                                                   measure::OutcomeName(result.outcome),
                                                   ok ? " has no latency" : " has a latency"));
  }
  if (ok && !(std::isfinite(result.latency->median_ns) && result.latency->median_ns > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a median of ", result.latency->median_ns, " ns"));
  }
  return CheckText("message", result.message);
}

absl::Status CheckValidators(const measure::Validators& validators) {
  for (const auto& [name, value] : validators) {
    ALT_RETURN_IF_ERROR(CheckName("name of a validator", name));
    ALT_RETURN_IF_ERROR(CheckText("validator", value));
    if (name.find(' ') != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("validator '", name, "' has a space"));
    }
  }
  return absl::OkStatus();
}

absl::Time InMicroseconds(absl::Time time) {
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}
absl::Duration InMicroseconds(absl::Duration duration) {
  return absl::Trunc(duration, absl::Microseconds(1));
}

absl::Status CheckJob(Job& job) {
  if (!JobNumber(job.id)) {
    return absl::InvalidArgumentError(absl::StrCat("'", job.id, "' is not the id of a job"));
  }
  ALT_RETURN_IF_ERROR(CheckName("request id", job.request_id));
  ALT_RETURN_IF_ERROR(CheckText("reason", job.reason));
  job.created = InMicroseconds(job.created);
  job.active = InMicroseconds(job.active);
  if (job.start) job.start->time = InMicroseconds(job.start->time);
  if (job.finished) job.finished = InMicroseconds(*job.finished);
  auto* tune = std::get_if<job::TuneSpec>(&job.spec);
  if (tune != nullptr && tune->time_limit) tune->time_limit = InMicroseconds(*tune->time_limit);
  return absl::OkStatus();
}

struct Checker {
  absl::Status operator()(AddResult& m) const {
    m.provenance.time = InMicroseconds(m.provenance.time);
    m.active = InMicroseconds(m.active);
    m.provenance.job = m.place.job;
    if (!JobNumber(m.place.job)) {
      return absl::InvalidArgumentError(absl::StrCat("'", m.place.job, "' is not the id of a job"));
    }
    if (m.record) ALT_RETURN_IF_ERROR(CheckKey(*m.record));
    ALT_RETURN_IF_ERROR(CheckValidators(m.validators));
    return CheckResult(m.result);
  }
  absl::Status operator()(CreateJob& m) const { return CheckJob(m.job); }
  absl::Status operator()(UpdateJob& m) const { return CheckJob(m.job); }
  absl::Status operator()(AppendLog& m) const {
    const auto* proposal = std::get_if<LoggedProposal>(&m.event);
    if (!proposal) return absl::OkStatus();
    for (const std::string& candidate : proposal->candidates) {
      ALT_RETURN_IF_ERROR(CheckText("candidate", candidate));
    }
    return absl::OkStatus();
  }
  absl::Status operator()(PutChampion& m) const {
    m.provenance.time = InMicroseconds(m.provenance.time);
    ALT_RETURN_IF_ERROR(CheckKey({m.key.workload, m.key.target, m.candidate}));
    ALT_RETURN_IF_ERROR(
        CheckText("text of fixed layouts", job::PrintFixedLayouts(m.key.fixed_layouts)));
    ALT_RETURN_IF_ERROR(CheckValidators(m.validators));
    if (m.result.outcome != measure::Outcome::kOk) {
      return absl::InvalidArgumentError("a champion that is not OK");
    }
    return CheckResult(m.result);
  }
  absl::Status operator()(DeleteRecord& m) const {
    const absl::Status not_found = absl::NotFoundError(absl::StrCat("no record '", m.record, "'"));
    return RecordIdValue(m.record) ? absl::OkStatus() : not_found;
  }
};

}  // namespace

absl::Status CheckAndNormalize(WriteBatch* batch) {
  for (Mutation& mutation : *batch) ALT_RETURN_IF_ERROR(std::visit(Checker(), mutation));
  return absl::OkStatus();
}

std::optional<int64_t> JobNumber(absl::string_view id) {
  // A number has one spelling, as the id is a key.
  if (id.size() < 2 || id[0] != 'j' || id[1] < '1' || id[1] > '9') return std::nullopt;
  const absl::StatusOr<int64_t> number = base::ParseInt64(id.substr(1));
  return number.ok() ? std::optional(*number) : std::nullopt;
}

}  // namespace alt::store
