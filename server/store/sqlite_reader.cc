#include "server/store/sqlite_reader.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/store/index_apply.h"
#include "server/store/job_codec.h"
#include "server/store/sqlite_rows.h"

namespace alt::store {
namespace {

absl::Status ForEachRow(SqliteDb* db, absl::string_view sql,
                        absl::FunctionRef<absl::Status(SqliteStatement&)> visit) {
  ALT_ASSIGN_OR_RETURN(SqliteStatement statement, db->Prepare(sql));
  while (true) {
    ALT_ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return absl::OkStatus();
    ALT_RETURN_IF_ERROR(visit(statement));
  }
}

absl::Status DamagedReference(absl::string_view what, int64_t number) {
  return absl::DataLossError(absl::StrCat(what, " ", number, " refers to what is not there"));
}

// Numbers in the file -> numbers in the index. Numbers in the file are small and dense.
class NumberMap {
 public:
  absl::Status Set(int64_t from, uint32_t to) {
    constexpr int64_t kMost = int64_t{1} << 32;
    if (from < 0 || from >= kMost) return DamagedReference("row", from);
    if (map_.size() <= static_cast<size_t>(from)) map_.resize(static_cast<size_t>(from) + 1, kNone);
    map_[static_cast<size_t>(from)] = to;
    return absl::OkStatus();
  }
  std::optional<uint32_t> Get(int64_t from) const {
    if (from < 0 || static_cast<size_t>(from) >= map_.size()) return std::nullopt;
    const uint32_t to = map_[static_cast<size_t>(from)];
    return to == kNone ? std::nullopt : std::optional(to);
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<uint32_t> map_;
};

// Reads everything once, in the order in which tables refer to one another.
class Loader {
 public:
  Loader(SqliteDb* db, StoreIndex* index) : db_(db), index_(index) {}

  absl::Status Load() {
    ALT_RETURN_IF_ERROR(LoadTexts());
    ALT_RETURN_IF_ERROR(LoadRecords());
    ALT_RETURN_IF_ERROR(LoadMeasurements());
    if (const auto record = index_->UnmeasuredRecord()) {
      return absl::DataLossError(
          absl::StrCat("record ", index_->IdOf(*record), " has lost its measurements"));
    }
    return ForEachRow(db_, absl::StrCat("SELECT ", kJobColumns, ",checksum FROM jobs"),
                      [&](SqliteStatement& row) { return LoadJob(row); });
  }

 private:
  absl::Status LoadTexts() {
    ALT_RETURN_IF_ERROR(ForEachRow(db_, "SELECT id,text FROM workloads", [&](SqliteStatement& row) {
      return workloads_.Set(row.Int(0), index_->WorkloadNumber(row.Text(1)));
    }));
    ALT_RETURN_IF_ERROR(ForEachRow(db_, "SELECT id,text FROM targets", [&](SqliteStatement& row) {
      return targets_.Set(row.Int(0), index_->TargetNumber(row.Text(1)));
    }));
    return ForEachRow(db_, "SELECT id,text FROM validators",
                      [&](SqliteStatement& row) -> absl::Status {
                        ALT_ASSIGN_OR_RETURN(const auto validators, DecodeValidators(row.Text(1)));
                        return validators_.Set(row.Int(0), index_->ValidatorsNumber(validators));
                      });
  }

  absl::Status LoadJob(const SqliteStatement& row) {
    absl::StatusOr<Job> job = ReadJob(row);
    if (absl::IsInvalidArgument(job.status())) {
      // One job whose texts this version does not take must not hide everything else.
      ALT_LOG(WARNING) << "left out: " << job.status().message();
      index_->NoteJobNumber(row.Int(0));
      return absl::OkStatus();
    }
    ALT_RETURN_IF_ERROR(job.status());
    if (auto* tune = std::get_if<job::TuneProgress>(&job->progress)) LoadBest(tune->best);
    index_->PutJob(*std::move(job));
    return absl::OkStatus();
  }

  // The candidate is the record's.
  void LoadBest(std::optional<job::BestCandidate>& best) const {
    if (!best) return;
    const auto record = index_->FindRecord(best->record);
    if (!record) return best.reset();
    auto candidate = workload::ParseCandidate(index_->KeyOf(*record).candidate);
    if (!candidate.ok()) return best.reset();
    best->candidate = *std::move(candidate);
  }

  absl::Status LoadRecords() {
    return ForEachRow(db_,
                      "SELECT id,key,workload,target,candidate,checksum FROM records ORDER BY id",
                      [&](SqliteStatement& row) {
                        return LoadRecord({.id = row.Int(0),
                                           .key = std::string(row.Text(1)),
                                           .workload = row.Int(2),
                                           .target = row.Int(3),
                                           .candidate = std::string(row.Text(4))},
                                          row.Int(5));
                      });
  }

  absl::Status LoadRecord(RecordRow in, int64_t checksum) {
    const auto workload = workloads_.Get(in.workload);
    const auto target = targets_.Get(in.target);
    const auto id = RecordIdValue(in.key);
    if (!id || ChecksumOf(in) != checksum) {
      return absl::DataLossError(absl::StrCat("record ", in.id, " is damaged"));
    }
    if (!workload || !target) return DamagedReference("record", in.id);
    const uint32_t number = index_->RecordNumber(*id, *workload, *target, std::move(in.candidate));
    // The texts of workload and target have no checksum, but the key is a hash of them. One record
    // of each pair tells; a hash of every candidate would take seconds.
    if (hashed_.insert({*workload, *target}).second && RecordId(index_->KeyOf(number)) != in.key) {
      return absl::DataLossError(
          absl::StrCat("record ", in.id, " is damaged: its workload or target has changed"));
    }
    return records_.Set(in.id, number);
  }

  // Results and champions share one count and are replayed in its order.
  absl::Status LoadMeasurements() {
    std::vector<ChampionRow> champions;
    ALT_RETURN_IF_ERROR(ForEachRow(
        db_, absl::StrCat("SELECT ", kChampionColumns, ",checksum FROM champions ORDER BY 1"),
        [&](SqliteStatement& row) -> absl::Status {
          ALT_ASSIGN_OR_RETURN(ChampionRow champion, ReadChampion(row));
          champions.push_back(std::move(champion));
          return absl::OkStatus();
        }));
    size_t next = 0;
    ALT_RETURN_IF_ERROR(ForEachRow(
        db_,
        absl::StrCat("SELECT ", kResultColumns,
                     ",checksum FROM results WHERE record IS NOT NULL ORDER BY sequence"),
        [&](SqliteStatement& row) -> absl::Status {
          ALT_ASSIGN_OR_RETURN(ResultRow result, ReadResult(row));
          for (; next < champions.size() && champions[next].sequence < result.sequence; ++next) {
            ALT_RETURN_IF_ERROR(Add(std::move(champions[next])));
          }
          return Add(std::move(result));
        }));
    for (; next < champions.size(); ++next) {
      ALT_RETURN_IF_ERROR(Add(std::move(champions[next])));
    }
    return absl::OkStatus();
  }

  absl::Status Add(ResultRow row) {
    const auto record = records_.Get(*row.record);
    const auto validators = validators_.Get(row.validators);
    if (!record || !validators) return DamagedReference("result", row.sequence);
    index_->AddMeasured(*record, {.sequence = row.sequence,
                                  .cache = row.cache,
                                  .result = std::move(row.result),
                                  .provenance = std::move(row.provenance),
                                  .validators = *validators});
    return absl::OkStatus();
  }

  absl::Status Add(ChampionRow row) {
    const auto record = records_.Get(row.record);
    if (!record) return DamagedReference("champion", row.sequence);
    RecordKey key = index_->KeyOf(*record);
    index_->AddChampion({.key = {.workload = key.workload,
                                 .target = key.target,
                                 .cache = row.cache,
                                 .constraint = std::move(row.restriction)},
                         .record = index_->IdOf(*record),
                         .candidate = std::move(key.candidate),
                         .latency = row.latency,
                         .peak_gflops = row.peak_gflops,
                         .peak_share = row.peak_share,
                         .job = std::move(row.job),
                         .time = row.time,
                         .sequence = row.sequence},
                        std::move(row.incumbent));
    return absl::OkStatus();
  }

  SqliteDb* const db_;
  StoreIndex* const index_;
  NumberMap workloads_, targets_, validators_, records_;
  std::set<std::pair<uint32_t, uint32_t>> hashed_;  // workload and target of records looked at
};

absl::Status VisitLog(SqliteDb* db, absl::string_view where,
                      absl::FunctionRef<void(LogEvent)> visit) {
  return ForEachRow(db, absl::StrCat("SELECT job,number,event,checksum FROM job_log ", where),
                    [&](SqliteStatement& row) -> absl::Status {
                      if (LogChecksum(row.Int(0), row.Int(1), row.Text(2)) != row.Int(3)) {
                        return absl::DataLossError(absl::StrCat("event ", row.Int(1), " of job j",
                                                                row.Int(0), " is damaged"));
                      }
                      ALT_ASSIGN_OR_RETURN(LogEvent event, DecodeEvent(row.Text(2)));
                      visit(std::move(event));
                      return absl::OkStatus();
                    });
}

}  // namespace

absl::Status LoadIndex(SqliteDb* db, StoreIndex* index) { return Loader(db, index).Load(); }

absl::StatusOr<int64_t> LastStoredSequence(SqliteDb* db) {
  return db->QueryInt(
      "SELECT max((SELECT coalesce(max(sequence),0) FROM results),"
      "(SELECT coalesce(max(sequence),0) FROM champions))");
}

absl::StatusOr<JobLog> LoadLog(SqliteDb* db, int64_t number) {
  JobLog log;
  ALT_RETURN_IF_ERROR(VisitLog(db, absl::StrCat("WHERE job=", number, " ORDER BY number"),
                               [&](LogEvent event) { log.events.push_back(std::move(event)); }));
  ALT_RETURN_IF_ERROR(
      ForEachRow(db,
                 absl::StrCat("SELECT ", kResultColumns, ",checksum FROM results WHERE job='j",
                              number, "' AND batch IS NOT NULL ORDER BY batch,place"),
                 [&](SqliteStatement& row) -> absl::Status {
                   ALT_ASSIGN_OR_RETURN(ResultRow in, ReadResult(row));
                   log.results.push_back({.place = {in.provenance.job, *in.batch, *in.place},
                                          .result = std::move(in.result),
                                          .provenance = std::move(in.provenance),
                                          .active = in.active});
                   return absl::OkStatus();
                 }));
  return log;
}

absl::StatusOr<job::VerifyReport> VerifyDatabase(SqliteDb* db) {
  constexpr size_t kMostProblems = 100;
  job::VerifyReport report;
  const auto note = [&](absl::string_view problem) {
    if (report.problems.size() < kMostProblems) report.problems.emplace_back(problem);
  };
  // A damaged page can end any of these early: each is a problem of its own and the rest go on.
  const auto check = [&](const absl::Status& status) {
    if (!status.ok()) note(status.message());
  };
  check(ForEachRow(db, "PRAGMA integrity_check", [&](SqliteStatement& row) {
    if (row.Text(0) != "ok") note(row.Text(0));
    return absl::OkStatus();
  }));
  check(ForEachRow(db, "PRAGMA foreign_key_check", [&](SqliteStatement& row) {
    note(absl::StrCat("row ", row.Int(1), " of ", row.Text(0), " refers to what is not there"));
    return absl::OkStatus();
  }));
  check(ForEachRow(
      db,
      "SELECT r.id,r.key,r.workload,r.target,r.candidate,r.checksum,w.text,t.text FROM records r "
      "JOIN workloads w ON w.id=r.workload JOIN targets t ON t.id=r.target",
      [&](SqliteStatement& row) {
        const RecordRow in{.id = row.Int(0),
                           .key = std::string(row.Text(1)),
                           .workload = row.Int(2),
                           .target = row.Int(3),
                           .candidate = std::string(row.Text(4))};
        const RecordKey key{std::string(row.Text(6)), std::string(row.Text(7)), in.candidate};
        ++report.records;
        if (ChecksumOf(in) != row.Int(5) || RecordId(key) != in.key) {
          note(absl::StrCat("record ", in.key, " is damaged"));
        }
        return absl::OkStatus();
      }));
  check(ForEachRow(db, absl::StrCat("SELECT ", kResultColumns, ",checksum FROM results"),
                   [&](SqliteStatement& row) {
                     check(ReadResult(row).status());
                     return absl::OkStatus();
                   }));
  check(ForEachRow(db, absl::StrCat("SELECT ", kChampionColumns, ",checksum FROM champions"),
                   [&](SqliteStatement& row) {
                     check(ReadChampion(row).status());
                     return absl::OkStatus();
                   }));
  check(ForEachRow(db, absl::StrCat("SELECT ", kJobColumns, ",checksum FROM jobs"),
                   [&](SqliteStatement& row) {
                     check(ReadJob(row).status());
                     return absl::OkStatus();
                   }));
  check(VisitLog(db, "", [](LogEvent) {}));
  return report;
}

}  // namespace alt::store
