#include "server/store/sqlite_writer.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/index_apply.h"
#include "server/store/job_codec.h"
#include "server/store/mutation_check.h"

namespace alt::store {
namespace {

// "INSERT INTO results(a,b,checksum) VALUES(?,?,?)"
std::string InsertInto(absl::string_view table, absl::string_view columns) {
  std::string marks = "?,?";
  for (const char c : columns) {
    if (c == ',') marks += ",?";
  }
  return absl::StrCat("INSERT INTO ", table, "(", columns, ",checksum) VALUES(", marks, ")");
}

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteWriter>> SqliteWriter::Create(SqliteDb* db) {
  std::unique_ptr<SqliteWriter> writer(new SqliteWriter(db));
  ALT_RETURN_IF_ERROR(writer->Prepare());
  return writer;
}

absl::Status SqliteWriter::PrepareTexts(absl::string_view table, TextTable* texts) {
  ALT_ASSIGN_OR_RETURN(texts->select,
                       db_->Prepare(absl::StrCat("SELECT (SELECT max(id) FROM ", table,
                                                 "),id,checksum FROM (SELECT 1) ", "LEFT JOIN ",
                                                 table, " ON text=?")));
  ALT_ASSIGN_OR_RETURN(
      texts->insert,
      db_->Prepare(absl::StrCat("INSERT INTO ", table, "(id,text,checksum) ", "VALUES(?,?,?)")));
  ALT_ASSIGN_OR_RETURN(texts->set_aside,
                       db_->Prepare(absl::StrCat("UPDATE ", table, " SET text='damaged '||id||': '",
                                                 "||text WHERE id=?")));
  return absl::OkStatus();
}

absl::Status SqliteWriter::Prepare() {
  ALT_RETURN_IF_ERROR(PrepareTexts("workloads", &workloads_));
  ALT_RETURN_IF_ERROR(PrepareTexts("targets", &targets_));
  ALT_RETURN_IF_ERROR(PrepareTexts("validators", &validators_));
  ALT_ASSIGN_OR_RETURN(find_record_, db_->Prepare(absl::StrCat("SELECT ", kRecordColumns,
                                                               ",checksum FROM records WHERE "
                                                               "key=?")));
  ALT_ASSIGN_OR_RETURN(insert_record_,
                       db_->Prepare(InsertInto("records", "key,workload,target,candidate")));
  ALT_ASSIGN_OR_RETURN(mend_record_,
                       db_->Prepare("UPDATE records SET workload=?2,target=?3,candidate=?4,"
                                    "checksum=?5 WHERE id=?1"));
  ALT_ASSIGN_OR_RETURN(insert_result_, db_->Prepare(InsertInto("results", kResultColumns)));
  ALT_ASSIGN_OR_RETURN(
      find_result_,
      db_->Prepare("SELECT 1 FROM results WHERE job=? AND batch=? AND place=? AND batch NOTNULL"));
  ALT_ASSIGN_OR_RETURN(insert_champion_, db_->Prepare(InsertInto("champions", kChampionColumns)));
  ALT_ASSIGN_OR_RETURN(insert_deletion_, db_->Prepare(InsertInto("deletions", kDeletionColumns)));
  ALT_ASSIGN_OR_RETURN(insert_job_, db_->Prepare(InsertInto("jobs", kJobColumns)));
  ALT_ASSIGN_OR_RETURN(find_job_, db_->Prepare(absl::StrCat("SELECT ", kJobColumns,
                                                            ",checksum FROM jobs WHERE number=?")));
  ALT_ASSIGN_OR_RETURN(update_job_, db_->Prepare("UPDATE jobs SET state=?2,reason=?3,finished=?4,"
                                                 "active=?5,start=?6,progress=?7,checksum=?8 "
                                                 "WHERE number=?1"));
  ALT_ASSIGN_OR_RETURN(insert_log_, db_->Prepare("INSERT INTO job_log(job,number,event,checksum) "
                                                 "VALUES(?,?,?,?)"));
  ALT_ASSIGN_OR_RETURN(
      log_size_, db_->Prepare("SELECT (SELECT count(*) FROM jobs WHERE number=?1),"
                              "(SELECT coalesce(max(number)+1,0) FROM job_log WHERE job=?1)"));
  return absl::OkStatus();
}

absl::StatusOr<bool> SqliteWriter::Write(const Mutation& mutation, int64_t sequence, int64_t* row) {
  return std::visit([&](const auto& m) { return WriteOne(m, sequence, row); }, mutation);
}

void SqliteWriter::RolledBack() {
  for (TextTable* texts : {&workloads_, &targets_, &validators_}) texts->numbers.clear();
}

absl::StatusOr<int64_t> SqliteWriter::Number(TextTable* texts, const std::string& text) {
  if (const auto it = texts->numbers.find(text); it != texts->numbers.end()) return it->second;
  ALT_RETURN_IF_ERROR(texts->select.Bind(text).Step().status());
  const int64_t last = texts->select.Int(0);
  std::optional<int64_t> number = texts->select.OptionalInt(1);
  const int64_t checksum = texts->select.Int(2);
  ALT_RETURN_IF_ERROR(texts->select.Run());
  // A damaged row that now reads as this text may have been another: nothing new refers to it.
  if (number && checksum != TextChecksum(*number, text)) {
    ALT_RETURN_IF_ERROR(texts->set_aside.Bind(*number).Run());
    number.reset();
  }
  if (!number) {
    number = last + 1;
    ALT_RETURN_IF_ERROR(texts->insert.Bind(*number, text, TextChecksum(*number, text)).Run());
  }
  texts->numbers.emplace(text, *number);
  return *number;
}

absl::StatusOr<int64_t> SqliteWriter::Record(const RecordKey& key, bool* made) {
  RecordRow row{.key = RecordId(key), .candidate = key.candidate};
  ALT_ASSIGN_OR_RETURN(const bool found, find_record_.Bind(row.key).Step());
  bool sound = false, same = false;
  if (found) {
    row.id = find_record_.Int(0);
    const absl::StatusOr<RecordRow> stored = ReadRecord(find_record_);
    sound = stored.ok();
    same = sound && stored->candidate == key.candidate;
    ALT_RETURN_IF_ERROR(find_record_.Run());
  }
  *made = !same;
  if (same) return row.id;
  if (sound) return absl::InternalError(absl::StrCat("two candidates have the id ", row.key));
  ALT_ASSIGN_OR_RETURN(row.workload, Number(&workloads_, key.workload));
  ALT_ASSIGN_OR_RETURN(row.target, Number(&targets_, key.target));
  if (found) {  // damaged: its id says what it was
    ALT_RETURN_IF_ERROR(
        mend_record_.Bind(row.id, row.workload, row.target, row.candidate, ChecksumOf(row)).Run());
    return row.id;
  }
  ALT_RETURN_IF_ERROR(
      insert_record_.Bind(row.key, row.workload, row.target, row.candidate, ChecksumOf(row)).Run());
  return db_->last_insert_rowid();
}

absl::Status SqliteWriter::Insert(const ResultRow& row) {
  const measure::MeasureResult& r = row.result;
  const auto latency = [&](auto member) {
    return r.latency ? std::optional((*r.latency).*member) : std::nullopt;
  };
  const measure::ProgramFacts& f = r.facts;
  insert_result_.Bind(
      row.sequence, row.record, row.provenance.job, row.batch, row.place, row.provenance.trial,
      row.provenance.worker, absl::ToUnixMicros(row.provenance.time),
      absl::ToInt64Microseconds(row.active), static_cast<int64_t>(row.cache), row.validators,
      measure::OutcomeName(r.outcome), r.message, latency(&measure::Latency::min_ns),
      latency(&measure::Latency::median_ns), latency(&measure::Latency::mad_ns),
      latency(&measure::Latency::n), int64_t{r.censored}, r.peak_gflops, f.code_bytes,
      f.vector_fmas, f.vector_loads, f.spills, f.inner_loop_spills, f.workspace_bytes,
      r.seconds.build, r.seconds.check, r.seconds.run, r.seconds.wait, int64_t{r.disturbed},
      ChecksumOf(row));
  return insert_result_.Run();
}

absl::StatusOr<bool> SqliteWriter::WriteOne(const AddResult& m, int64_t sequence, int64_t* record) {
  ALT_ASSIGN_OR_RETURN(const bool stored,
                       find_result_.Bind(m.place.job, m.place.batch, m.place.index).Step());
  ALT_RETURN_IF_ERROR(find_result_.Run());
  if (stored) return false;
  ResultRow row{.sequence = sequence,
                .batch = m.place.batch,
                .place = m.place.index,
                .provenance = m.provenance,
                .active = m.active,
                .cache = m.cache};
  row.result = m.result;
  bool made = false;
  if (m.record) {
    ALT_ASSIGN_OR_RETURN(*record, Record(*m.record, &made));
    row.record = *record;
  }
  ALT_ASSIGN_OR_RETURN(row.validators, Number(&validators_, Encode(m.validators)));
  ALT_RETURN_IF_ERROR(Insert(row));
  return true;
}

absl::StatusOr<bool> SqliteWriter::WriteOne(const CreateJob& m, int64_t, int64_t*) {
  const JobRow row = RowOf(m.job);
  insert_job_.Bind(row.number, row.request, row.state, row.reason, row.created, row.finished,
                   row.active, row.spec, row.start, row.progress, ChecksumOf(row));
  const absl::Status status = insert_job_.Run();
  if (!absl::IsAlreadyExists(status)) {
    ALT_RETURN_IF_ERROR(status);
    return true;
  }
  return absl::AlreadyExistsError(
      absl::StrCat("there is a job ", m.job.id, " or one of request ", m.job.request_id));
}

absl::StatusOr<bool> SqliteWriter::WriteOne(const UpdateJob& m, int64_t, int64_t*) {
  ALT_ASSIGN_OR_RETURN(const bool found, find_job_.Bind(JobNumber(m.job.id)).Step());
  if (!found) return absl::NotFoundError(absl::StrCat("no job '", m.job.id, "'"));
  ALT_ASSIGN_OR_RETURN(const Job stored, ReadJob(find_job_));
  ALT_RETURN_IF_ERROR(find_job_.Run());
  const JobRow row = RowOf(MergeJob(stored, m.job));
  update_job_.Bind(row.number, row.state, row.reason, row.finished, row.active, row.start,
                   row.progress, ChecksumOf(row));
  ALT_RETURN_IF_ERROR(update_job_.Run());
  return true;
}

absl::StatusOr<bool> SqliteWriter::WriteOne(const AppendLog& m, int64_t, int64_t*) {
  const int64_t job = JobNumber(m.job).value_or(0);
  ALT_ASSIGN_OR_RETURN(const bool found, log_size_.Bind(job).Step());
  if (!found || log_size_.Int(0) == 0) {
    return absl::NotFoundError(absl::StrCat("no job '", m.job, "'"));
  }
  const int64_t size = log_size_.Int(1);
  ALT_RETURN_IF_ERROR(log_size_.Run());
  if (m.number < size) return false;
  if (m.number > size) {
    return absl::InvalidArgumentError(
        absl::StrCat("log of ", m.job, " has ", size, " events, not ", m.number));
  }
  const std::string event = Encode(m.event);
  ALT_RETURN_IF_ERROR(
      insert_log_.Bind(job, m.number, event, LogChecksum(job, m.number, event)).Run());
  return true;
}

absl::StatusOr<bool> SqliteWriter::WriteOne(const PutChampion& m, int64_t sequence,
                                            int64_t* record) {
  bool made = false;
  ALT_ASSIGN_OR_RETURN(*record, Record({m.key.workload, m.key.target, m.candidate}, &made));
  ALT_ASSIGN_OR_RETURN(const int64_t validators, Number(&validators_, Encode(m.validators)));
  if (made) {
    ResultRow row{.sequence = sequence,
                  .record = *record,
                  .provenance = m.provenance,
                  .cache = m.key.cache,
                  .validators = validators};
    row.result = m.result;
    ALT_RETURN_IF_ERROR(Insert(row));
  }
  const ChampionRow row{.sequence = sequence + 1,
                        .record = *record,
                        .cache = m.key.cache,
                        .fixed_layouts = job::PrintFixedLayouts(m.key.fixed_layouts),
                        .incumbent = m.incumbent,
                        .job = m.provenance.job,
                        .time = m.provenance.time,
                        .latency = *m.result.latency,
                        .peak_gflops = m.result.peak_gflops,
                        .peak_share = m.peak_share,
                        .validators = validators};
  insert_champion_.Bind(row.sequence, row.record, static_cast<int64_t>(row.cache),
                        row.fixed_layouts, row.incumbent, row.job, absl::ToUnixMicros(row.time),
                        row.latency.min_ns, row.latency.median_ns, row.latency.mad_ns,
                        row.latency.n, row.peak_gflops, row.peak_share, row.validators,
                        ChecksumOf(row));
  ALT_RETURN_IF_ERROR(insert_champion_.Run());
  return true;
}

absl::StatusOr<bool> SqliteWriter::WriteOne(const DeleteRecord& m, int64_t sequence, int64_t*) {
  ALT_ASSIGN_OR_RETURN(const bool found, find_record_.Bind(m.record).Step());
  if (!found) return absl::NotFoundError(absl::StrCat("no record '", m.record, "'"));
  const DeletionRow row{.sequence = sequence, .record = find_record_.Int(0)};
  ALT_RETURN_IF_ERROR(find_record_.Run());
  ALT_RETURN_IF_ERROR(insert_deletion_.Bind(row.sequence, row.record, ChecksumOf(row)).Run());
  return true;
}

}  // namespace alt::store
