#include "server/store/sqlite_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/base/plain_text.h"
#include "common/base/status_macros.h"
#include "server/store/index_apply.h"
#include "server/store/job_codec.h"
#include "server/store/mutation_check.h"
#include "server/store/sqlite_rows.h"
#include "server/store/table_scan.h"

namespace alt::store {
namespace {

// Rows by their numbers in the file, which are small and dense unless they are damaged.
class NumberMap {
 public:
  static constexpr uint32_t kSetAside = ~uint32_t{0};

  // A number that comes twice stands for neither: nobody knows which of them was meant.
  void Set(int64_t from, uint32_t to) {
    constexpr int64_t kNear = 1 << 20;
    if (from >= 0 && from < static_cast<int64_t>(near_.size()) + kNear) {
      if (static_cast<size_t>(from) >= near_.size())
        near_.resize(static_cast<size_t>(from) + 1, kAbsent);
      uint32_t& now = near_[static_cast<size_t>(from)];
      now = now == kAbsent ? to : kSetAside;
    } else if (!far_.emplace(from, to).second) {
      far_[from] = kSetAside;
    }
  }
  // None: there is no such row. kSetAside: there is, and it is damaged.
  std::optional<uint32_t> Get(int64_t from) const {
    if (from >= 0 && from < static_cast<int64_t>(near_.size())) {
      const uint32_t to = near_[static_cast<size_t>(from)];
      return to == kAbsent ? std::nullopt : std::optional(to);
    }
    const auto it = far_.find(from);
    return it == far_.end() ? std::nullopt : std::optional(it->second);
  }

 private:
  static constexpr uint32_t kAbsent = kSetAside - 1;
  std::vector<uint32_t> near_;
  absl::flat_hash_map<int64_t, uint32_t> far_;
};

// Reads everything once, in the order in which tables refer to one another.
class Loader {
 public:
  Loader(SqliteDb* db, StoreIndex* index, Loaded* out) : db_(db), index_(index), out_(out) {}

  absl::Status Load() {
    ALT_RETURN_IF_ERROR(LoadTexts("workloads", &workloads_));
    ALT_RETURN_IF_ERROR(LoadTexts("targets", &targets_));
    ALT_RETURN_IF_ERROR(LoadTexts("validators", &validators_));
    ALT_RETURN_IF_ERROR(LoadRecords());
    ALT_RETURN_IF_ERROR(LoadMeasurements());
    for (uint32_t record = 0; record < index_->record_count(); ++record) {
      if (index_->HasMeasurement(record)) continue;
      SetAside("records", index_->RowOf(record),
               absl::StrCat("record ", index_->IdOf(record), " has lost its measurements"));
    }
    return LoadJobs();
  }

 private:
  // What is larger was not counted but damaged.
  static constexpr int64_t kMostNumber = int64_t{1} << 40;

  // A table of texts: its numbers, and the texts by what they are numbered with here.
  struct Texts {
    NumberMap numbers;
    std::vector<std::string> texts;
    const std::string* Find(int64_t number) const {
      const std::optional<uint32_t> place = numbers.Get(number);
      return place && *place != NumberMap::kSetAside ? &texts[*place] : nullptr;
    }
  };

  void SetAside(absl::string_view table, int64_t key, std::string why, bool orphan = false) {
    out_->damage.Add(std::move(why));
    out_->bad.push_back({.table = std::string(table), .key = key, .orphan = orphan});
    if (key > kMostNumber) return;
    if (table == "results" || table == "champions" || table == "deletions") {
      out_->last_sequence = std::max(out_->last_sequence, key);
    }
  }

  absl::Status Scan(absl::string_view table, absl::string_view key, absl::string_view columns,
                    absl::FunctionRef<void(SqliteStatement&)> visit) {
    return ScanTable(db_, table, key, absl::StrCat(columns, ",checksum"), &out_->damage, visit);
  }

  absl::Status LoadTexts(absl::string_view table, Texts* texts) {
    return Scan(table, "id", "id,text", [&](SqliteStatement& row) {
      const int64_t id = row.Int(0);
      if (TextChecksum(id, row.Text(1)) != row.Int(2)) {
        texts->numbers.Set(id, NumberMap::kSetAside);
        return SetAside(table, id, absl::StrCat("text ", id, " of ", table, " is damaged"));
      }
      texts->numbers.Set(id, static_cast<uint32_t>(texts->texts.size()));
      texts->texts.emplace_back(row.Text(1));
    });
  }

  absl::Status LoadRecords() {
    return Scan("records", "id", kRecordColumns, [&](SqliteStatement& row) {
      const absl::StatusOr<RecordRow> in = ReadRecord(row);
      const std::optional<uint32_t> record = in.ok() ? LoadRecord(*in) : std::nullopt;
      records_.Set(row.Int(0), record.value_or(NumberMap::kSetAside));
      if (!in.ok()) SetAside("records", row.Int(0), std::string(in.status().message()));
    });
  }

  std::optional<uint32_t> LoadRecord(const RecordRow& in) {
    const std::string* workload = workloads_.Find(in.workload);
    const std::string* target = targets_.Find(in.target);
    const auto id = RecordIdValue(in.key);
    const auto refuse = [&](absl::string_view why) {
      SetAside("records", in.id, absl::StrCat("record ", in.key, " is damaged: ", why));
      return std::nullopt;
    };
    if (!workload) return refuse("its workload cannot be read");
    if (!target) return refuse("its target cannot be read");
    RecordKey key{*workload, *target, in.candidate};
    // The key is a hash of the three texts. One record of a pair tells whether workload and target
    // are what they were; a hash of every candidate would take seconds.
    const auto [pair, first] = sound_pairs_.emplace(std::pair(in.workload, in.target), true);
    if (!id || ((first || !pair->second) && RecordId(key) != in.key)) {
      pair->second = false;
      return refuse("its workload or target has changed");
    }
    if (index_->FindRecord(in.key)) return refuse("another row has its id");
    return index_->AddRecord(*id, key, in.id);
  }

  // Results, champions and deletions share one count and are replayed in its order.
  absl::Status LoadMeasurements() {
    std::vector<ChampionRow> champions;
    std::vector<DeletionRow> deletions;
    ALT_RETURN_IF_ERROR(Scan("champions", "sequence", kChampionColumns, [&](SqliteStatement& row) {
      Keep("champions", row, ReadChampion(row), &champions);
    }));
    ALT_RETURN_IF_ERROR(Scan("deletions", "sequence", kDeletionColumns, [&](SqliteStatement& row) {
      Keep("deletions", row, ReadDeletion(row), &deletions);
    }));
    auto champion = champions.begin();
    auto deletion = deletions.begin();
    const auto add_until = [&](int64_t sequence) {
      while (true) {
        const int64_t next_champion = champion == champions.end() ? sequence : champion->sequence;
        const int64_t next_deletion = deletion == deletions.end() ? sequence : deletion->sequence;
        if (std::min(next_champion, next_deletion) >= sequence) return;
        if (next_champion <= next_deletion) {
          Add(std::move(*champion++));
        } else {
          Add(*deletion++);
        }
      }
    };
    ALT_RETURN_IF_ERROR(Scan("results", "sequence", kResultColumns, [&](SqliteStatement& row) {
      absl::StatusOr<ResultRow> result = ReadResult(row);
      if (!result.ok()) return SetAside("results", row.Int(0), MeasurementText(row));
      add_until(result->sequence);
      Add(*result);
    }));
    add_until(std::numeric_limits<int64_t>::max());
    return absl::OkStatus();
  }

  // "result 12 of job j3 is damaged, a measurement of record 0123...", as far as that can be said.
  std::string MeasurementText(const SqliteStatement& row) const {
    const auto record = records_.Get(row.Int(1));
    return absl::StrCat("result ", row.Int(0), " is damaged",
                        record && *record != NumberMap::kSetAside
                            ? absl::StrCat(", a measurement of record ", index_->IdOf(*record))
                            : "");
  }

  template <typename Row>
  void Keep(absl::string_view table, const SqliteStatement& row, absl::StatusOr<Row> in,
            std::vector<Row>* out) {
    if (in.ok()) {
      out->push_back(*std::move(in));
    } else {
      SetAside(table, row.Int(0), std::string(in.status().message()));
    }
  }

  // Whether rows may go on with this number: a damaged key can come twice or out of order.
  bool IsNext(absl::string_view table, int64_t sequence) {
    if (sequence > index_->last_sequence()) return true;
    SetAside(table, sequence, absl::StrCat("row ", sequence, " of ", table, " comes twice"));
    return false;
  }

  // Null, and said once, when the record of a row cannot be used.
  std::optional<uint32_t> RecordOf(absl::string_view table, int64_t sequence, int64_t record) {
    const std::optional<uint32_t> number = records_.Get(record);
    if (number && *number != NumberMap::kSetAside) return number;
    out_->bad.push_back({.table = std::string(table), .key = sequence, .orphan = true});
    // A record that is damaged has been named already.
    if (!number) {
      out_->damage.Add(absl::StrCat("row ", sequence, " of ", table, " belongs to record number ",
                                    record, ", which is not there"));
    }
    return std::nullopt;
  }

  measure::Validators ValidatorsOf(absl::string_view table, int64_t sequence, int64_t number) {
    const std::string* text = validators_.Find(number);
    if (text) {
      auto validators = DecodeValidators(*text);
      if (validators.ok()) return *std::move(validators);
    }
    // What it was measured under is not known: it is vouched for by nobody.
    out_->bad.push_back({.table = std::string(table), .key = sequence, .orphan = true});
    if (!validators_.numbers.Get(number)) {
      out_->damage.Add(absl::StrCat("row ", sequence, " of ", table, " refers to validators ",
                                    number, ", which are not there"));
    }
    return {};
  }

  void Add(const ResultRow& row) {
    out_->last_sequence = std::max(out_->last_sequence, row.sequence);
    if (!row.record) return;
    const auto record = RecordOf("results", row.sequence, *row.record);
    if (!record || !IsNext("results", row.sequence)) return;
    index_->AddMeasured(*record,
                        {.sequence = row.sequence,
                         .cache = row.cache,
                         .result = row.result,
                         .provenance = row.provenance,
                         .validators = ValidatorsOf("results", row.sequence, row.validators)},
                        "");
  }

  void Add(ChampionRow row) {
    out_->last_sequence = std::max(out_->last_sequence, row.sequence);
    const auto record = RecordOf("champions", row.sequence, row.record);
    if (!record || !IsNext("champions", row.sequence)) return;
    measure::Validators validators;
    if (row.validators) validators = ValidatorsOf("champions", row.sequence, *row.validators);
    index_->AddChampion(
        {.key = {.workload = "", .target = "", .cache = row.cache, .fixed_layouts = {}},
         .record = index_->IdOf(*record),
         .candidate = "",
         .latency = row.latency,
         .peak_gflops = row.peak_gflops,
         .peak_share = row.peak_share,
         .job = std::move(row.job),
         .time = row.time,
         .sequence = row.sequence,
         .validators = std::move(validators)},
        row.fixed_layouts, row.incumbent);
  }

  void Add(const DeletionRow& row) {
    out_->last_sequence = std::max(out_->last_sequence, row.sequence);
    const auto record = RecordOf("deletions", row.sequence, row.record);
    if (record && IsNext("deletions", row.sequence)) index_->AddDeletion(*record, row.sequence);
  }

  absl::Status LoadJobs() {
    return Scan("jobs", "number", kJobColumns, [&](SqliteStatement& row) {
      absl::StatusOr<Job> job = ReadJob(row);
      if (!job.ok()) {
        index_->NoteJobNumber(std::min(row.Int(0), kMostNumber));
        return SetAside("jobs", row.Int(0), std::string(job.status().message()));
      }
      if (index_->FindJob(job->id) || index_->FindJobByRequest(job->request_id)) {
        return SetAside("jobs", row.Int(0), absl::StrCat("job ", job->id, " comes twice"));
      }
      if (auto* tune = std::get_if<job::TuneProgress>(&job->progress)) ReadBest(tune->best);
      index_->PutJob(*std::move(job));
    });
  }

  // The candidate of a job's best is the record's.
  void ReadBest(std::optional<job::BestCandidate>& best) {
    if (!best) return;
    const auto record = index_->FindRecord(best->record);
    auto candidate = record ? CandidateOf(index_->RowOf(*record))
                            : absl::StatusOr<workload::Candidate>(absl::NotFoundError(""));
    if (!candidate.ok()) return best.reset();
    best->candidate = *std::move(candidate);
  }

  absl::StatusOr<workload::Candidate> CandidateOf(int64_t row) {
    ALT_ASSIGN_OR_RETURN(
        SqliteStatement read,
        db_->Prepare(absl::StrCat("SELECT ", kRecordColumns, ",checksum FROM records WHERE id=?")));
    ALT_ASSIGN_OR_RETURN(const bool found, read.Bind(row).Step());
    if (!found) return absl::NotFoundError("");
    ALT_ASSIGN_OR_RETURN(const RecordRow record, ReadRecord(read));
    return workload::ParseCandidate(record.candidate);
  }

  SqliteDb* const db_;
  StoreIndex* const index_;
  Loaded* const out_;
  Texts workloads_, targets_, validators_;
  NumberMap records_;
  // By workload and target: whether no record of them had another hash.
  absl::flat_hash_map<std::pair<int64_t, int64_t>, bool> sound_pairs_;
};

// The events of a job, from the first on until one is damaged or missing.
absl::Status VisitLog(SqliteDb* db, int64_t job, absl::FunctionRef<void(LogEvent)> visit) {
  int64_t next = 0;
  const absl::Status status = ForEachRow(
      db,
      absl::StrCat("SELECT number,event,checksum FROM job_log WHERE job=", job, " ORDER BY number"),
      [&](SqliteStatement& row) -> absl::Status {
        if (row.Int(0) != next || LogChecksum(job, next, row.Text(1)) != row.Int(2)) {
          return absl::DataLossError("its checksum or number is wrong");
        }
        ALT_ASSIGN_OR_RETURN(LogEvent event, DecodeEvent(row.Text(1)));
        visit(std::move(event));
        ++next;
        return absl::OkStatus();
      });
  if (!absl::IsDataLoss(status)) return status;
  return absl::DataLossError(
      absl::StrCat("event ", next, " of job j", job, " is damaged: ", status.message()));
}

}  // namespace

absl::StatusOr<Loaded> LoadIndex(SqliteDb* db, StoreIndex* index) {
  Loaded loaded;
  ALT_RETURN_IF_ERROR(Loader(db, index, &loaded).Load());
  return loaded;
}

absl::StatusOr<JobLog> LoadLog(SqliteDb* db, int64_t number) {
  JobLog log;
  ALT_RETURN_IF_ERROR(
      VisitLog(db, number, [&](LogEvent event) { log.events.push_back(std::move(event)); }));
  const std::string select =
      absl::StrCat("SELECT ", kResultColumns,
                   ",checksum,(SELECT key FROM records WHERE id=record) FROM results ",
                   "WHERE job='j", number, "' AND batch IS NOT NULL ORDER BY batch,place");
  ALT_RETURN_IF_ERROR(ForEachRow(db, select, [&](SqliteStatement& row) -> absl::Status {
    ALT_ASSIGN_OR_RETURN(ResultRow in, ReadResult(row),
                         absl::DataLossError(absl::StrCat("of job j", number, ", ", _.message())));
    log.results.push_back({.place = {in.provenance.job, *in.batch, *in.place},
                           .result = std::move(in.result),
                           .provenance = std::move(in.provenance),
                           .active = in.active,
                           .record = std::string(row.Text(31))});
    return absl::OkStatus();
  }));
  return log;
}

int64_t CountEvents(SqliteDb* db, int64_t number, Damage* damage) {
  int64_t count = 0;
  const absl::Status status = VisitLog(db, number, [&](LogEvent) { ++count; });
  if (!status.ok()) damage->Add(std::string(status.message()));
  return count;
}

absl::Status FindStrayEvents(SqliteDb* db, Damage* damage) {
  const absl::Status status = ForEachRow(
      db,
      "SELECT job,count(*) FROM job_log WHERE job NOT IN (SELECT number FROM jobs) GROUP BY job",
      [&](SqliteStatement& row) {
        damage->Add(absl::StrCat(row.Int(1), " events belong to job ",
                                 base::PlainText(row.Text(0), 20), ", which is not there"));
        return absl::OkStatus();
      });
  if (!absl::IsDataLoss(status)) return status;
  damage->Add(std::string(status.message()));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> VerifyDatabase(SqliteDb* db, Damage* damage) {
  StoreIndex index;
  ALT_ASSIGN_OR_RETURN(Loaded loaded, LoadIndex(db, &index));
  *damage = std::move(loaded.damage);
  const job::Stats stats = index.Stats();
  for (const Job& job : index.ListJobs("", stats.jobs)) {
    CountEvents(db, *JobNumber(job.id), damage);
  }
  ALT_RETURN_IF_ERROR(FindStrayEvents(db, damage));
  // What rows do not tell: indices, free pages.
  const absl::Status status = ForEachRow(db, "PRAGMA integrity_check", [&](SqliteStatement& row) {
    if (row.Text(0) != "ok") damage->Add(std::string(row.Text(0)));
    return absl::OkStatus();
  });
  if (!status.ok()) damage->Add(std::string(status.message()));
  return stats.records;
}

}  // namespace alt::store
