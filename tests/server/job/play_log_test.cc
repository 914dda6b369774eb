#include "server/job/play_log.h"

#include <gtest/gtest.h>

#include "tests/server/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

class PlayLogTest : public ::testing::Test {
 protected:
  PlayLogTest() {
    job_ = world_.Stored(world_.Run(SmallSpec(40)).id);
    log_ = world_.Log(job_.id);
  }

  std::unique_ptr<search::Tuner> MakeTuner() const {
    auto tuner = search::Tuner::Create(*MakeTask(job_, ReadSnapshot(*world_.store, job_)));
    ALT_CHECK_OK(tuner);
    return *std::move(tuner);
  }

  World world_;
  store::Job job_;
  store::JobLog log_;
};

TEST_F(PlayLogTest, TellsEachEventInTheOrderOfTheLog) {
  std::string told;
  ALT_ASSERT_OK(PlayLog(
      log_, *MakeTuner(), [&](const search::Batch& batch) { told += std::to_string(batch.number); },
      [&] { told += "o"; }));
  std::string expected;
  for (const store::LogEvent& event : log_.events) {
    const auto* proposal = std::get_if<store::LoggedProposal>(&event);
    expected += proposal != nullptr ? std::to_string(proposal->batch) : "o";
  }
  EXPECT_EQ(told, expected);
}

TEST_F(PlayLogTest, ReturnsWhatIsProposedBeyondALogThatWasCut) {
  store::JobLog cut = log_;
  while (!std::holds_alternative<store::LoggedObservation>(cut.events.back())) {
    cut.events.pop_back();
  }
  std::vector<store::LoggedProposal> told;
  const auto tuner = MakeTuner();
  ALT_ASSERT_OK_AND_ASSIGN(
      const auto beyond,
      PlayLog(
          cut, *tuner, [&](const search::Batch& batch) { told.push_back(ToLog(batch)); }, [] {}));
  for (const search::Batch& batch : beyond) told.push_back(ToLog(batch));
  EXPECT_EQ(told, EventsOf<store::LoggedProposal>(log_)) << "in log and beyond, all is there once";

  cut.events.clear();
  ALT_ASSERT_OK_AND_ASSIGN(const auto all, PlayLog(
                                               cut, *MakeTuner(), [](const auto&) {}, [] {}));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(ToLog(all.front()), EventsOf<store::LoggedProposal>(log_).front());
}

TEST_F(PlayLogTest, AnObservationOfABatchThatWasNotProposedIsADifference) {
  log_.events.insert(log_.events.begin(), store::LoggedObservation{.batch = 7});
  EXPECT_TRUE(testing::StatusIs(PlayLog(
                                    log_, *MakeTuner(), [](const auto&) {}, [] {}),
                                absl::StatusCode::kDataLoss, "batch 7 is not the oldest"));
}

}  // namespace
}  // namespace alt::job
