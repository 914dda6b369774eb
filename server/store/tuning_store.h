// What the server remembers. Writes go through one queue and are durable when they are
// acknowledged; reads are answered from memory and see acknowledged writes only.
#ifndef SERVER_STORE_TUNING_STORE_H_
#define SERVER_STORE_TUNING_STORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/job/answer.h"
#include "common/measure/measure_result.h"
#include "common/measure/measurer.h"
#include "common/measure/tuning_record.h"
#include "server/store/job.h"

namespace alt::store {

using measure::RecordKey;

// ---- What can be written. -----------------------------------------------------------------------

// A result of a job. With `record` it is a measurement too: the database keeps one record for each
// key and every measurement under it. Written twice it is stored once.
struct AddResult {
  ResultPlace place;
  measure::MeasureResult result;
  measure::Provenance provenance;
  absl::Duration active;
  std::optional<RecordKey> record;
  measure::CacheState cache = measure::CacheState::kWarm;
  measure::Validators validators;
};

// AlreadyExists when the id or the request id is taken.
struct CreateJob {
  Job job;
};

// Replaces what changes of a job, and sets `start` when it was not set. NotFound without the job.
struct UpdateJob {
  Job job;
};

// Event `number` of a job's log, from 0 without gaps. Written twice it is stored once.
struct AppendLog {
  std::string job;
  int64_t number = 0;
  LogEvent event;
};

// What champions are compared among.
struct ChampionKey {
  std::string workload, target;
  measure::CacheState cache = measure::CacheState::kWarm;
  job::FixedLayouts fixed_layouts;
  friend bool operator==(const ChampionKey&, const ChampionKey&) = default;
};

// The verdict of a job's finalists. Its record is made when there is none. It becomes the champion
// of its key when the champion until then took part in the comparison or is slower.
struct PutChampion {
  ChampionKey key;
  std::string candidate;
  measure::MeasureResult result;     // OK, with latency
  std::optional<double> peak_share;  // of the FMA loop timed in turns with it
  std::string incumbent;             // record id of the champion that took part; "" for none
  measure::Provenance provenance;
  measure::Validators validators;
};

// Takes a record out of every answer from here on: what was measured until now no longer counts,
// and the champion of its keys is chosen without it. Questions about an earlier sequence number,
// and the logs of jobs, still see it. NotFound without the record.
struct DeleteRecord {
  std::string record;  // whole id
};

using Mutation =
    std::variant<AddResult, CreateJob, UpdateJob, AppendLog, PutChampion, DeleteRecord>;
// All or nothing.
using WriteBatch = std::vector<Mutation>;

// ---- What can be read. --------------------------------------------------------------------------

struct StoredRecord {
  std::string id;
  RecordKey key;
  int64_t sequence = 0;      // of its first measurement
  int64_t measurements = 1;  // how many there are
  // The measurement that counts: the last one, but a failure or a censored time does not replace a
  // better answer.
  measure::CacheState cache = measure::CacheState::kWarm;
  measure::MeasureResult result;
  // Who measured that, and when. Where it was no trial (a finalist, timed again), job and trial are
  // those that found the candidate, where a trial did.
  measure::Provenance provenance;
  measure::Validators validators;
};

struct Champion {
  ChampionKey key;
  std::string record;  // id
  std::string candidate;
  measure::Latency latency;
  std::optional<double> peak_gflops;
  std::optional<double> peak_share;
  std::string job;
  absl::Time time;
  int64_t sequence = 0;
  measure::Validators validators;
};

// The best that is known: a confirmed champion, or else the record of the lowest median.
struct BestAnswer {
  std::string record;  // id
  std::string candidate;
  measure::Latency latency;
  std::optional<double> peak_gflops;
  measure::Validators validators;  // of the measurement
  bool confirmed = false;
  friend bool operator==(const BestAnswer&, const BestAnswer&) = default;
};

// Another workload of the same operator, with the best that is known for it.
struct Neighbour {
  std::string workload, target;
  double distance = 0;  // 0: the same; a doubled extent is about 1
  BestAnswer best;
};

struct RecordFilter {
  std::optional<std::string> workload, target, job;
  int64_t before_sequence = 0;  // 0: from the newest
  int64_t limit = 100;
};

// Safe from every thread.
class TuningStore {
 public:
  // Says whether a candidate, as text, is acceptable; asked of few, the best first.
  using Accept = absl::FunctionRef<bool(absl::string_view candidate)>;
  // Says whether what was measured under these facts counts. Must not call the store.
  using Trust = absl::FunctionRef<bool(const measure::Validators&)>;
  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  virtual ~TuningStore() = default;

  // Writes in the order of the calls. `done` is called once, on a thread of the store or before
  // Commit returns, when the batch is durable or will never be; it must not wait for the store. A
  // batch that is refused changes nothing:
  //   AlreadyExists, NotFound   see the mutations
  //   InvalidArgument           a value that no query could find again
  //   ResourceExhausted         the disk or the queue is full: try again later
  //   Unavailable               closing
  //   DataLoss                  the disk failed: no write will ever succeed again (WriteHealth)
  virtual void Commit(WriteBatch batch, Done done) = 0;
  // The same, waiting.
  absl::Status CommitAndWait(WriteBatch batch);
  // OK while writes succeed, else why they do not: ResourceExhausted may pass (writes are tried as
  // they come, and it is OK again after one that succeeds), DataLoss will not.
  virtual absl::Status WriteHealth() const = 0;
  // What was found wrong when the database was opened, a sentence each: rows that were set aside,
  // writes that are missing. The rest is served.
  virtual std::vector<std::string> FoundDamage() const = 0;

  // Number of the last acknowledged measurement or champion.
  virtual int64_t LastSequence() const = 0;

  // Records of a workload and target that were visible at a sequence number, oldest first. Only
  // measurements under `cache` count. The same number always gives the same answer.
  virtual std::vector<StoredRecord> RecordsAt(absl::string_view workload, absl::string_view target,
                                              measure::CacheState cache,
                                              int64_t sequence) const = 0;
  virtual std::optional<Champion> ChampionAt(const ChampionKey& key, int64_t sequence) const = 0;

  // The best acceptable answer for a workload and target, of candidates that have the key's fixed
  // layouts: the champion of the key, else another champion, else the lowest median of what is OK
  // and not censored.
  virtual std::optional<BestAnswer> FindBest(const ChampionKey& key, Trust trust,
                                             Accept accept) const = 0;
  // The best `limit` records of a workload and target by median under a cache state, the champion
  // of the key first.
  virtual std::vector<BestAnswer> FindTop(const ChampionKey& key, int64_t limit) const = 0;
  // Every key that has an answer: without fixed layouts, and with those that jobs had.
  virtual std::vector<ChampionKey> AnsweredKeys() const = 0;
  // The facts of the newest measurement for a target.
  virtual std::optional<measure::Validators> NewestValidators(absl::string_view target) const = 0;
  // Nearest workloads of the same operator that have an answer, nearest first; the workload itself
  // is not among them. An empty target stands for all.
  virtual std::vector<Neighbour> FindNearest(const ChampionKey& key, int64_t limit) const = 0;
  // Targets that have an answer for the workload, sorted.
  virtual std::vector<std::string> TargetsOf(absl::string_view workload) const = 0;

  // By id or the first characters of it. NotFound; InvalidArgument when several begin so.
  virtual absl::StatusOr<StoredRecord> GetRecord(absl::string_view id) const = 0;
  // Newest first.
  virtual std::vector<StoredRecord> ListRecords(const RecordFilter& filter) const = 0;
  virtual job::Stats Stats() const = 0;

  // A number for a new job, larger than any given before: "j" + number is its id.
  virtual int64_t NextJobNumber() = 0;
  // NotFound.
  virtual absl::StatusOr<Job> GetJob(absl::string_view id) const = 0;
  virtual std::optional<Job> FindJobByRequest(absl::string_view request_id) const = 0;
  // Newest first, from the one before `before` ("" for the newest) on.
  virtual std::vector<Job> ListJobs(absl::string_view before, int64_t limit) const = 0;
  // Jobs that do not rest, oldest first: those to go on with after a restart.
  virtual std::vector<Job> UnfinishedJobs() const = 0;
  // May read from disk. NotFound; DataLoss.
  virtual absl::StatusOr<JobLog> ReadLog(absl::string_view job) const = 0;
  // The job's trials after number `after`, in order, at most `limit`. NotFound; DataLoss.
  virtual absl::StatusOr<std::vector<job::Trial>> ListTrials(absl::string_view job, int64_t after,
                                                             int64_t limit) const = 0;

  // Reads everything and checks it. May take seconds; writes go on beside it.
  virtual absl::StatusOr<job::VerifyReport> Verify() = 0;
  // A consistent copy into a new file, while the store goes on. AlreadyExists.
  virtual absl::Status Backup(const std::string& path) = 0;
  // A name beside the database for a short-lived file; who opens it next removes what is left of
  // such.
  virtual std::string NewScratchFile() = 0;
  // Drawn when the database was made: 16 hex digits that tell it from all others.
  virtual std::string Id() const = 0;
  // How often the database has been opened, this time included: tells one life of the server from
  // another.
  virtual int64_t Epoch() const = 0;
  // Tells who else wants the database where its holder can be reached.
  virtual absl::Status AnnounceAddress(absl::string_view address) = 0;
};

}  // namespace alt::store

#endif  // SERVER_STORE_TUNING_STORE_H_
