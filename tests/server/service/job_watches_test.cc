#include "server/service/job_watches.h"

#include <gtest/gtest.h>

#include "tests/testing/jobs.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

constexpr absl::Duration kLeast = absl::Milliseconds(200);
const absl::Time kStart = absl::FromUnixSeconds(1000);

class JobWatchesTest : public ::testing::Test {
 protected:
  // Notes the trials of each state, and -1 for the end.
  class Watcher : public JobWatcher {
   public:
    void OnState(std::shared_ptr<const job::Job> job) override {
      seen.push_back(testing::Tuned(*job).trials);
    }
    void OnEnd(const absl::Status& status) override {
      seen.push_back(-1);
      end = status;
    }
    std::vector<int64_t> seen;
    absl::Status end;
  };

  std::shared_ptr<Watcher> Follow(const std::string& id, bool goes_on = true) {
    auto watcher = std::make_shared<Watcher>();
    watches_.Add(id, watcher, goes_on);
    return watcher;
  }

  int64_t trials_ = 1;
  bool lost_ = false;
  JobWatches watches_{kLeast, [this](const std::string& id) -> absl::StatusOr<job::Job> {
                        if (lost_ || id != "j1") return absl::NotFoundError("no job " + id);
                        job::Job job;
                        job.id = id;
                        std::get<job::TuneProgress>(job.progress).trials = trials_;
                        return job;
                      }};
};

TEST_F(JobWatchesTest, AWatcherHearsTheStateAtOnceAndEachChange) {
  const auto watcher = Follow("j1");
  EXPECT_EQ(watcher->seen, std::vector<int64_t>{1});
  trials_ = 2;
  watches_.MarkChanged("j1");
  watches_.Flush(kStart);
  EXPECT_EQ(watcher->seen, (std::vector<int64_t>{1, 2}));
}

TEST_F(JobWatchesTest, ChangesInQuickSuccessionAreToldTogether) {
  const auto watcher = Follow("j1");
  watches_.MarkChanged("j1");
  watches_.Flush(kStart);
  EXPECT_EQ(watches_.NextDue(), absl::InfiniteFuture());
  for (trials_ = 2; trials_ < 5; ++trials_) {
    watches_.MarkChanged("j1");
    watches_.Flush(kStart + absl::Milliseconds(trials_));
  }
  EXPECT_EQ(watcher->seen, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(watches_.NextDue(), kStart + kLeast);
  watches_.Flush(watches_.NextDue());
  EXPECT_EQ(watcher->seen, (std::vector<int64_t>{1, 1, 5}));
}

TEST_F(JobWatchesTest, AnUnchangedStateIsRepeatedNowAndThen) {
  const auto watcher = Follow("j1");
  watches_.Flush(kStart);
  watches_.Flush(kStart + absl::Seconds(1));
  EXPECT_EQ(watcher->seen.size(), 2u);
  watches_.Flush(kStart + absl::Seconds(10));
  EXPECT_EQ(watcher->seen.size(), 3u);
}

TEST_F(JobWatchesTest, AJobThatRestsIsToldOnce) {
  EXPECT_EQ(Follow("j1", /*goes_on=*/false)->seen, (std::vector<int64_t>{1, -1}));
  EXPECT_TRUE(watches_.empty());
}

TEST_F(JobWatchesTest, AJobThatDoesNotExistIsNotFound) {
  const auto watcher = Follow("j9");
  EXPECT_EQ(watcher->seen, std::vector<int64_t>{-1});
  EXPECT_TRUE(testing::StatusIs(watcher->end, absl::StatusCode::kNotFound, "j9"));
  EXPECT_TRUE(watches_.empty());
}

TEST_F(JobWatchesTest, TheEndTellsTheLastStateToAll) {
  const auto one = Follow("j1"), two = Follow("j1");
  trials_ = 7;
  watches_.End("j1");
  for (const auto& watcher : {one, two}) {
    EXPECT_EQ(watcher->seen, (std::vector<int64_t>{1, 7, -1}));
    ALT_EXPECT_OK(watcher->end);
  }
  watches_.End("j1");
  EXPECT_EQ(one->seen.size(), 3u) << "once";
}

TEST_F(JobWatchesTest, AServerThatStopsEndsAllWithoutAState) {
  const auto watcher = Follow("j1");
  watches_.EndAll();
  EXPECT_EQ(watcher->seen, (std::vector<int64_t>{1, -1}));
  ALT_EXPECT_OK(watcher->end);
}

TEST_F(JobWatchesTest, WhoHasLeftHearsNothing) {
  const auto gone = Follow("j1"), stays = Follow("j1");
  watches_.Remove(gone);
  watches_.MarkChanged("j1");
  watches_.Flush(kStart);
  EXPECT_EQ(gone->seen.size(), 1u);
  EXPECT_EQ(stays->seen.size(), 2u);
  watches_.Remove(stays);
  EXPECT_TRUE(watches_.empty());
}

TEST_F(JobWatchesTest, AStateThatCannotBeReadIsSkippedAndEndsWithItsError) {
  const auto watcher = Follow("j1");
  lost_ = true;
  watches_.MarkChanged("j1");
  watches_.Flush(kStart);
  EXPECT_EQ(watcher->seen, std::vector<int64_t>{1});
  watches_.End("j1");
  EXPECT_EQ(watcher->seen, (std::vector<int64_t>{1, -1}));
  EXPECT_TRUE(testing::StatusIs(watcher->end, absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace alt::service
