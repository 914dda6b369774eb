#include "server/store/table_scan.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::store {
namespace {

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
// Keys are counted from 1: a larger one is damage, and where a scan goes on does not follow it.
constexpr int64_t kMostKey = int64_t{1} << 40;

// Whether a scan can start at `from`, also where no row follows.
bool StartsAt(SqliteStatement& scan, int64_t from) { return scan.Bind(from).Step().ok(); }

// The first key after `from`, at which a scan fails, from which one can go on: doubling steps find
// some, halving them the first. None: nothing behind can be reached.
std::optional<int64_t> NextStart(SqliteStatement& scan, int64_t from) {
  int64_t bad = from, good = kLast;
  for (int64_t step = 1; step > 0; step = step > kLast / 2 ? 0 : step * 2) {
    if (from > kLast - step) return std::nullopt;
    if (StartsAt(scan, from + step)) {
      good = from + step;
      break;
    }
    bad = from + step;
  }
  if (good == kLast) return std::nullopt;
  while (good - bad > 1) {
    const int64_t middle = bad + (good - bad) / 2;
    (StartsAt(scan, middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

absl::Status ScanTable(SqliteDb* db, absl::string_view table, absl::string_view key,
                       absl::string_view columns, Damage* damage,
                       absl::FunctionRef<void(SqliteStatement&)> visit) {
  ALT_ASSIGN_OR_RETURN(SqliteStatement scan,
                       db->Prepare(absl::StrCat("SELECT ", columns, " FROM ", table, " WHERE ", key,
                                                ">=? ORDER BY ", key)));
  int64_t last = 0;  // largest key that was read
  int64_t from = kFirst;
  while (true) {
    scan.Bind(from);
    absl::StatusOr<bool> row = scan.Step();
    for (; row.ok() && *row; row = scan.Step()) {
      if (scan.Int(0) <= kMostKey) last = std::max(last, scan.Int(0));
      visit(scan);
    }
    if (row.ok()) return absl::OkStatus();
    if (!absl::IsDataLoss(row.status())) return row.status();
    damage->Add(absl::StrCat("rows of the table ", table, " after number ", last,
                             " cannot be read: ", row.status().message()));
    from = std::max(last, from) + 1;
    const std::optional<int64_t> next = NextStart(scan, from);
    if (!next) return absl::OkStatus();
    from = *next;
  }
}

absl::Status ForEachRow(SqliteDb* db, absl::string_view sql,
                        absl::FunctionRef<absl::Status(SqliteStatement&)> visit) {
  ALT_ASSIGN_OR_RETURN(SqliteStatement statement, db->Prepare(sql));
  while (true) {
    ALT_ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return absl::OkStatus();
    ALT_RETURN_IF_ERROR(visit(statement));
  }
}

}  // namespace alt::store
