// The child of kill_test.cc: store_writer DATABASE FIRST. Writes results FIRST, FIRST+1, ... of job
// j1, several at a time, and says on standard output what is acknowledged, one write a line, so
// that what was said before a kill has been said:
//   open         the store is open
//   n            result n is durable
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/testing/records.h"

namespace alt::store {
namespace {

void Say(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    std::_Exit(3);
  }
}

int Main(const std::string& path, int64_t first) {
  auto store = OpenSqliteTuningStore({.path = path});
  if (!store.ok()) {
    std::cerr << store.status() << "\n";
    return 1;
  }
  Say("open\n");
  if (!(*store)->GetJob("j1").ok()) {
    if (!(*store)->CommitAndWait({CreateJob{testing::MakeJob(1)}}).ok()) return 2;
  }
  // Each result comes with an event of the log, so that a batch of two is torn if anything is.
  constexpr int kInFlight = 16;
  absl::Mutex mutex;
  int in_flight = 0;
  for (int64_t n = first;; ++n) {
    {
      absl::MutexLock lock(&mutex);
      ++in_flight;
      mutex.Await(absl::Condition(
          +[](int* count) { return *count <= kInFlight; }, &in_flight));
    }
    (*store)->Commit(
        {testing::ResultAt(0, n, n + 1, 100), AppendLog{"j1", n, LoggedObservation{n}}},
        [&mutex, &in_flight, n](const absl::Status& status) {
          if (!status.ok()) std::_Exit(4);
          Say(absl::StrCat(n, "\n"));
          absl::MutexLock lock(&mutex);
          --in_flight;
        });
  }
}

}  // namespace
}  // namespace alt::store

int main(int argc, char** argv) {
  int64_t first = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[2], &first)) return 64;
  return alt::store::Main(argv[1], first);
}
