// Rows of the tables as structs, and their checksums: what writing and reading share.
#ifndef SERVER_STORE_SQLITE_ROWS_H_
#define SERVER_STORE_SQLITE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/checksum.h"
#include "server/store/job.h"
#include "server/store/sqlite_db.h"
#include "server/store/tuning_store.h"

namespace alt::store {

// Of the tables workloads, targets and validators.
int64_t TextChecksum(int64_t id, absl::string_view text);

struct RecordRow {
  int64_t id = 0;
  std::string key;
  int64_t workload = 0, target = 0;
  std::string candidate;
};
int64_t ChecksumOf(const RecordRow& row);
inline constexpr char kRecordColumns[] = "id,key,workload,target,candidate";
// From a row of kRecordColumns and the checksum; DataLoss when it is damaged. So are the others.
absl::StatusOr<RecordRow> ReadRecord(const SqliteStatement& row);

struct ResultRow {
  int64_t sequence = 0;
  std::optional<int64_t> record;
  std::optional<int64_t> batch, place;
  measure::Provenance provenance;
  absl::Duration active;
  measure::CacheState cache = measure::CacheState::kWarm;
  int64_t validators = 0;
  measure::MeasureResult result;
};
int64_t ChecksumOf(const ResultRow& row);
// Everything but the checksum, in the table's order.
inline constexpr char kResultColumns[] =
    "sequence,record,job,batch,place,trial,worker,time,active,cache,validators,outcome,message,"
    "min_ns,median_ns,mad_ns,n,censored,peak_gflops,code_bytes,vector_fmas,vector_loads,spills,"
    "inner_loop_spills,workspace_bytes,build_s,check_s,run_s,wait_s,disturbed";
absl::StatusOr<ResultRow> ReadResult(const SqliteStatement& row);

struct ChampionRow {
  int64_t sequence = 0;
  int64_t record = 0;
  measure::CacheState cache = measure::CacheState::kWarm;
  std::string fixed_layouts;
  std::string incumbent;
  std::string job;
  absl::Time time;
  measure::Latency latency;
  std::optional<double> peak_gflops, peak_share;
  std::optional<int64_t> validators;
};
int64_t ChecksumOf(const ChampionRow& row);
inline constexpr char kChampionColumns[] =
    "sequence,record,cache,fixed_layouts,incumbent,job,time,min_ns,median_ns,mad_ns,n,peak_gflops,"
    "peak_share,validators";
absl::StatusOr<ChampionRow> ReadChampion(const SqliteStatement& row);

struct DeletionRow {
  int64_t sequence = 0;
  int64_t record = 0;
};
int64_t ChecksumOf(const DeletionRow& row);
inline constexpr char kDeletionColumns[] = "sequence,record";
absl::StatusOr<DeletionRow> ReadDeletion(const SqliteStatement& row);

// What of a job is text or number already.
struct JobRow {
  int64_t number = 0;
  std::string request, state, reason;
  int64_t created = 0;
  std::optional<int64_t> finished;
  int64_t active = 0;
  std::string spec;
  std::optional<std::string> start;
  std::string progress;
};
JobRow RowOf(const Job& job);
int64_t ChecksumOf(const JobRow& row);
inline constexpr char kJobColumns[] =
    "number,request,state,reason,created,finished,active,spec,start,progress";
absl::StatusOr<Job> ReadJob(const SqliteStatement& row);

int64_t LogChecksum(int64_t job, int64_t number, absl::string_view event);

}  // namespace alt::store

#endif  // SERVER_STORE_SQLITE_ROWS_H_
