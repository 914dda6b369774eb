// Kill -9 at random moments: nothing that was acknowledged is lost, nothing is half there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/base/child_process.h"
#include "common/base/random.h"
#include "common/base/unique_fd.h"
#include "server/store/sqlite_tuning_store.h"
#include "tests/testing/paths.h"
#include "tests/testing/records.h"
#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

int Rounds() {
  const char* rounds = std::getenv("ALT_KILL_ROUNDS");
  return rounds ? std::atoi(rounds) : 30;
}

// One child's life: killed when it has said `lines` lines and `delay` more has passed.
class Life {
 public:
  void Run(const std::string& path, int64_t first, int lines, absl::Duration delay) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const base::UniqueFd out(ends[0]);
    base::UniqueFd in(ends[1]);
    ALT_ASSERT_OK_AND_ASSIGN(
        auto child, base::ChildProcess::Spawn({.argv = {testing::BinDir() + "/tests/store_writer",
                                                        path, absl::StrCat(first)},
                                               .fds = {{in.get(), STDOUT_FILENO}}}));
    in.Reset();
    while (Lines() < lines) ASSERT_TRUE(Read(out.get())) << "the child ended by itself";
    // A wait with an end that is not for anything: the kill comes at a random moment of its work.
    const absl::Time kill_at = absl::Now() + delay;
    while (absl::Now() < kill_at) {
      pollfd ready{.fd = out.get(), .events = POLLIN};
      if (poll(&ready, 1, 1) <= 0) continue;
      ASSERT_TRUE(Read(out.get())) << "the child ended by itself";
    }
    child->Kill();
    child->Wait();
    while (Read(out.get())) {
    }
  }

  // What was acknowledged: whole lines.
  std::set<int64_t> Acknowledged() const {
    std::set<int64_t> numbers;
    for (const absl::string_view line : absl::StrSplit(text_, '\n')) {
      int64_t n;
      if (absl::SimpleAtoi(line, &n)) numbers.insert(n);
    }
    return numbers;
  }

 private:
  int64_t Lines() const { return std::count(text_.begin(), text_.end(), '\n'); }
  bool Read(int fd) {
    char bytes[4096];
    const ssize_t n = read(fd, bytes, sizeof(bytes));
    if (n > 0) text_.append(bytes, static_cast<size_t>(n));
    return n > 0;
  }

  std::string text_;
};

TEST(KillTest, NothingAcknowledgedIsLostAndNothingIsHalfThere) {
  const testing::TempDir dir;
  const std::string path = dir.File("a.db");
  base::Random random(20260101);
  std::set<int64_t> acknowledged;
  int64_t first = 0;
  for (int round = 0; round < Rounds(); ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round));
    Life life;
    // Round 0 dies while the file is made, every fourth while it is opened.
    const int lines = round % 4 == 0 ? 0 : static_cast<int>(random.UniformInt(1, 60));
    life.Run(path, first, lines, absl::Microseconds(random.UniformInt(0, 30000)));
    if (HasFatalFailure()) return;
    for (const int64_t n : life.Acknowledged()) {
      EXPECT_TRUE(acknowledged.insert(n).second) << n << " twice";
    }
    const absl::Time start = absl::Now();
    ALT_ASSERT_OK_AND_ASSIGN(auto store, OpenSqliteTuningStore({.path = path}));
    EXPECT_LT(absl::Now() - start, absl::Seconds(2));
    ALT_ASSERT_OK_AND_ASSIGN(const job::VerifyReport report, store->Verify());
    EXPECT_TRUE(report.problems.empty()) << report.problems.front();
    EXPECT_EQ(store->Stats().duplicates, 0);
    const auto log = store->ReadLog("j1");
    if (!log.ok()) {  // not even the job: nothing can have been acknowledged
      EXPECT_TRUE(acknowledged.empty());
      continue;
    }
    // Results and events were written in pairs, in order: as many of each, no gaps.
    ASSERT_EQ(log->events.size(), log->results.size());
    first = static_cast<int64_t>(log->results.size());
    for (int64_t n = 0; n < first; ++n) {
      EXPECT_EQ(log->results[static_cast<size_t>(n)].place.index, n);
    }
    for (const int64_t n : acknowledged) {
      ASSERT_LT(n, first) << "acknowledged and lost";
      const RecordKey key{testing::kWorkloadText, testing::kTargetText,
                          testing::CandidateText(n + 1)};
      ALT_ASSERT_OK_AND_ASSIGN(const StoredRecord record, store->GetRecord(RecordId(key)));
      EXPECT_EQ(record.measurements, 1);
    }
  }
  EXPECT_GT(acknowledged.size(), static_cast<size_t>(Rounds()));
  RecordProperty("acknowledged", static_cast<int>(acknowledged.size()));
}

}  // namespace
}  // namespace alt::store
