#include "server/job/stale.h"

#include <string>
#include <vector>

#include "server/store/memory_tuning_store.h"
#include "tests/server/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace alt::job {
namespace {

class StaleTest : public ::testing::Test {
 protected:
  // A champion of the small workload, measured under this version of LLVM.
  void Put(const std::string& llvm, FixedLayouts fixed = {}) {
    const TuneSpec spec = SmallSpec(1, 1);
    store::PutChampion put{.key = ChampionKeyOf(spec)};
    put.key.fixed_layouts = std::move(fixed);
    put.candidate = workload::Print(workload::Candidate());
    put.result.outcome = measure::Outcome::kOk;
    put.result.latency = {.min_ns = 10, .median_ns = 10, .n = 3};
    put.validators = {{"llvm", llvm}};
    ALT_ASSERT_OK(store_->CommitAndWait({put}));
  }
  // With a worker that has this version; none for "".
  StaleReport Find(const std::string& llvm) {
    return FindStale(*store_, [&](const target::Target&) {
      return llvm.empty() ? std::vector<measure::Validators>()
                          : std::vector<measure::Validators>{{{"llvm", llvm}}};
    });
  }

  const std::unique_ptr<store::TuningStore> store_ = store::MakeMemoryTuningStore();
};

TEST_F(StaleTest, AnAnswerUnderOtherFactsThanTheWorkersIsStaleAndSaysWhy) {
  Put("18");
  const StaleReport report = Find("19");
  ASSERT_EQ(report.tasks.size(), 1u);
  EXPECT_EQ(report.tasks[0].workload, SmallSpec(1, 1).workload);
  EXPECT_EQ(report.tasks[0].reason, "llvm=18 instead of 19");
  EXPECT_EQ(report.unserved, 0);
}

TEST_F(StaleTest, WhatAWorkerVouchesForIsNot) {
  Put("19");
  EXPECT_TRUE(Find("19").tasks.empty());
}

TEST_F(StaleTest, WithoutAWorkerNothingIsKnown) {
  Put("18");
  const StaleReport report = Find("");
  EXPECT_TRUE(report.tasks.empty());
  EXPECT_EQ(report.unserved, 1);
}

TEST_F(StaleTest, AnswersUnderFixedLayoutsAreLookedAtToo) {
  Put("18", {{"a", {}}});
  const StaleReport report = Find("19");
  ASSERT_FALSE(report.tasks.empty());
  EXPECT_EQ(report.tasks.back().fixed_layouts, (FixedLayouts{{"a", {}}}));
}

}  // namespace
}  // namespace alt::job
