#include "common/job/job.h"

#include <gtest/gtest.h>

namespace alt::job {
namespace {

TEST(JobTest, NamesParseBack) {
  for (const auto state : {JobState::kQueued, JobState::kRunning, JobState::kSucceeded,
                           JobState::kFailed, JobState::kStopped}) {
    EXPECT_EQ(ParseJobState(JobStateName(state)), state);
  }
  EXPECT_EQ(JobStateName(JobState::kStopped), "stopped");
  EXPECT_EQ(ParseJobState("done"), std::nullopt);
  EXPECT_EQ(JobStateName(static_cast<JobState>(9)), "unknown");
}

TEST(JobTest, AJobRestsOnceItHasEnded) {
  EXPECT_FALSE(Rests(JobState::kQueued));
  EXPECT_FALSE(Rests(JobState::kRunning));
  EXPECT_TRUE(Rests(JobState::kSucceeded));
  EXPECT_TRUE(Rests(JobState::kFailed));
  EXPECT_TRUE(Rests(JobState::kStopped));
}

TEST(JobTest, ProgressIsOfTheKindOfItsSpec) {
  EXPECT_EQ(NoProgress(TuneSpec()), JobProgress(TuneProgress()));
  EXPECT_EQ(NoProgress(BenchSpec()), JobProgress(BenchProgress()));
  EXPECT_EQ(NoProgress(PeakSpec()), JobProgress(PeakProgress()));
}

}  // namespace
}  // namespace alt::job
