#include "server/store/sqlite_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/plain_text.h"
#include "common/base/status_macros.h"
#include "server/store/job_codec.h"
#include "server/store/mutation_check.h"

namespace alt::store {
namespace {

absl::Status Damaged(absl::string_view what, int64_t number) {
  return absl::DataLossError(absl::StrCat(what, number, " is damaged"));
}

std::optional<measure::CacheState> CacheOf(int64_t value) {
  if (value < 0 || value > static_cast<int64_t>(measure::CacheState::kCold)) return std::nullopt;
  return static_cast<measure::CacheState>(value);
}

void AddLatency(Checksum& sum, const measure::Latency& latency) {
  sum.Add(latency.min_ns).Add(latency.median_ns).Add(latency.mad_ns).Add(latency.n);
}

}  // namespace

int64_t TextChecksum(int64_t id, absl::string_view text) {
  return Checksum().Add(id).Add(text).value();
}

int64_t ChecksumOf(const RecordRow& row) {
  return Checksum().Add(row.key).Add(row.workload).Add(row.target).Add(row.candidate).value();
}

absl::StatusOr<RecordRow> ReadRecord(const SqliteStatement& row) {
  RecordRow out{.id = row.Int(0),
                .key = std::string(row.Text(1)),
                .workload = row.Int(2),
                .target = row.Int(3),
                .candidate = std::string(row.Text(4))};
  if (ChecksumOf(out) == row.Int(5)) return out;
  return absl::DataLossError(absl::StrCat("record ", base::PlainText(out.key, 16), " is damaged"));
}

int64_t ChecksumOf(const ResultRow& row) {
  const measure::MeasureResult& r = row.result;
  Checksum sum;
  sum.Add(row.sequence).Add(row.record).Add(row.provenance.job).Add(row.batch).Add(row.place);
  sum.Add(row.provenance.trial).Add(row.provenance.worker);
  sum.Add(absl::ToUnixMicros(row.provenance.time)).Add(absl::ToInt64Microseconds(row.active));
  sum.Add(static_cast<int64_t>(row.cache)).Add(row.validators);
  sum.Add(measure::OutcomeName(r.outcome)).Add(r.message);
  sum.Add(int64_t{r.latency.has_value()});
  if (r.latency) AddLatency(sum, *r.latency);
  sum.Add(int64_t{r.censored}).Add(r.peak_gflops);
  sum.Add(r.facts.code_bytes).Add(r.facts.vector_fmas).Add(r.facts.vector_loads);
  sum.Add(r.facts.spills).Add(r.facts.inner_loop_spills).Add(r.facts.workspace_bytes);
  sum.Add(r.seconds.build).Add(r.seconds.check).Add(r.seconds.run).Add(r.seconds.wait);
  if (r.disturbed) sum.Add(int64_t{1});  // version 1 had no such column
  return sum.value();
}

absl::StatusOr<ResultRow> ReadResult(const SqliteStatement& row) {
  ResultRow out;
  out.sequence = row.Int(0);
  out.record = row.OptionalInt(1);
  out.provenance.job = std::string(row.Text(2));
  out.batch = row.OptionalInt(3);
  out.place = row.OptionalInt(4);
  out.provenance.trial = row.Int(5);
  out.provenance.worker = std::string(row.Text(6));
  out.provenance.time = absl::FromUnixMicros(row.Int(7));
  out.active = absl::Microseconds(row.Int(8));
  const auto cache = CacheOf(row.Int(9));
  out.validators = row.Int(10);
  const auto outcome = measure::ParseOutcome(row.Text(11));
  if (!cache || !outcome) return Damaged("result ", out.sequence);
  out.cache = *cache;
  measure::MeasureResult& r = out.result;
  r.outcome = *outcome;
  r.message = std::string(row.Text(12));
  if (!row.IsNull(13)) {
    r.latency = measure::Latency{row.Double(13), row.Double(14), row.Double(15), row.Int(16)};
  }
  r.censored = row.Int(17) != 0;
  r.peak_gflops = row.OptionalDouble(18);
  r.facts = {{.code_bytes = row.Int(19),
              .vector_fmas = row.Int(20),
              .vector_loads = row.Int(21),
              .spills = row.Int(22),
              .inner_loop_spills = row.Int(23)},
             row.Int(24)};
  r.seconds = {.build = row.Double(25),
               .check = row.Double(26),
               .run = row.Double(27),
               .wait = row.Double(28)};
  r.disturbed = row.Int(29) != 0;
  if (ChecksumOf(out) != row.Int(30)) return Damaged("result ", out.sequence);
  return out;
}

int64_t ChecksumOf(const ChampionRow& row) {
  Checksum sum;
  sum.Add(row.sequence).Add(row.record).Add(static_cast<int64_t>(row.cache));
  sum.Add(row.fixed_layouts).Add(row.incumbent).Add(row.job).Add(absl::ToUnixMicros(row.time));
  AddLatency(sum, row.latency);
  sum.Add(row.peak_gflops).Add(row.peak_share);
  if (row.validators) sum.Add(*row.validators);  // version 1 had no such column
  return sum.value();
}

absl::StatusOr<ChampionRow> ReadChampion(const SqliteStatement& row) {
  ChampionRow out;
  out.sequence = row.Int(0);
  out.record = row.Int(1);
  const auto cache = CacheOf(row.Int(2));
  if (!cache) return Damaged("champion ", out.sequence);
  out.cache = *cache;
  out.fixed_layouts = std::string(row.Text(3));
  out.incumbent = std::string(row.Text(4));
  out.job = std::string(row.Text(5));
  out.time = absl::FromUnixMicros(row.Int(6));
  out.latency = {row.Double(7), row.Double(8), row.Double(9), row.Int(10)};
  out.peak_gflops = row.OptionalDouble(11);
  out.peak_share = row.OptionalDouble(12);
  out.validators = row.OptionalInt(13);
  if (ChecksumOf(out) != row.Int(14)) return Damaged("champion ", out.sequence);
  return out;
}

int64_t ChecksumOf(const DeletionRow& row) {
  return Checksum().Add(row.sequence).Add(row.record).value();
}

absl::StatusOr<DeletionRow> ReadDeletion(const SqliteStatement& row) {
  const DeletionRow out{.sequence = row.Int(0), .record = row.Int(1)};
  if (ChecksumOf(out) != row.Int(2)) return Damaged("deletion ", out.sequence);
  return out;
}

JobRow RowOf(const Job& job) {
  JobRow row{.number = JobNumber(job.id).value_or(0),
             .request = job.request_id,
             .state = std::string(job::JobStateName(job.state)),
             .reason = job.reason,
             .created = absl::ToUnixMicros(job.created),
             .active = absl::ToInt64Microseconds(job.active),
             .spec = Encode(job.spec),
             .progress = Encode(job.progress)};
  if (job.finished) row.finished = absl::ToUnixMicros(*job.finished);
  if (job.start) row.start = Encode(*job.start);
  return row;
}

int64_t ChecksumOf(const JobRow& row) {
  Checksum sum;
  sum.Add(row.number).Add(row.request).Add(row.state).Add(row.reason).Add(row.created);
  sum.Add(row.finished).Add(row.active).Add(row.spec).Add(row.start).Add(row.progress);
  return sum.value();
}

absl::StatusOr<Job> ReadJob(const SqliteStatement& row) {
  JobRow in{.number = row.Int(0),
            .request = std::string(row.Text(1)),
            .state = std::string(row.Text(2)),
            .reason = std::string(row.Text(3)),
            .created = row.Int(4),
            .finished = row.OptionalInt(5),
            .active = row.Int(6),
            .spec = std::string(row.Text(7)),
            .progress = std::string(row.Text(9))};
  if (!row.IsNull(8)) in.start = std::string(row.Text(8));
  const auto state = job::ParseJobState(in.state);
  if (!state || ChecksumOf(in) != row.Int(10)) return Damaged("job j", in.number);
  Job job;
  job.id = absl::StrCat("j", in.number);
  job.request_id = std::move(in.request);
  job.state = *state;
  job.reason = std::move(in.reason);
  job.created = absl::FromUnixMicros(in.created);
  if (in.finished) job.finished = absl::FromUnixMicros(*in.finished);
  job.active = absl::Microseconds(in.active);
  const auto annotate = [&](const absl::Status& status) { return base::Annotate(status, job.id); };
  ALT_ASSIGN_OR_RETURN(job.spec, DecodeSpec(in.spec), annotate(_));
  if (in.start) {
    ALT_ASSIGN_OR_RETURN(job.start, DecodeStart(*in.start));
  }
  ALT_ASSIGN_OR_RETURN(job.progress, DecodeProgress(in.progress, job.spec), annotate(_));
  return job;
}

int64_t LogChecksum(int64_t job, int64_t number, absl::string_view event) {
  return Checksum().Add(job).Add(number).Add(event).value();
}

}  // namespace alt::store
