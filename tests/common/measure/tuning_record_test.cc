#include "common/measure/tuning_record.h"

#include <gtest/gtest.h>

#include "common/measure/environment.h"
#include "common/measure/measurer.h"

namespace alt::measure {
namespace {

TEST(RecordKeyTest, IsSixteenHexDigitsThatNeverChange) {
  // printf 'matmul:m=1\ncpu:x\nalgorithm direct\n' | sha256sum
  EXPECT_EQ(RecordId({"matmul:m=1", "cpu:x", "algorithm direct\n"}), "e8da32e3c197bb68");
}

TEST(RecordKeyTest, EveryPartCounts) {
  const std::string id = RecordId({"w", "t", "c"});
  EXPECT_NE(RecordId({"v", "t", "c"}), id);
  EXPECT_NE(RecordId({"w", "s", "c"}), id);
  EXPECT_NE(RecordId({"w", "t", "d"}), id);
  EXPECT_NE(RecordId({"wt", "", "c"}), id);
}

TEST(TuningRecordTest, IdIsThatOfTheCanonicalTexts) {
  const workload::Workload workload{workload::Matmul{.m = 4, .n = 8, .k = 16}};
  const target::Target target{.mcpu = "znver4", .vec_bits = 512};
  const workload::Candidate candidate;
  const RecordKey key = KeyOf(workload, target, candidate);
  EXPECT_EQ(key, (RecordKey{workload::Print(workload), target::PrintTarget(target),
                            workload::Print(candidate)}));
  EXPECT_NE(RecordId(KeyOf(workload, target, {.algorithm = {{workload::Winograd{4, 4}}}})),
            RecordId(key));
}

// A measurer that fails everything: the interface is enough to be one.
class NoMeasurer : public Measurer {
 public:
  std::vector<MeasureResult> Measure(const MeasureRequest& request,
                                     absl::FunctionRef<bool()> cancelled) override {
    std::vector<MeasureResult> results(request.candidates.size());
    for (MeasureResult& result : results) {
      if (!cancelled()) result.outcome = Outcome::kDeviceLost;
    }
    return results;
  }
};

TEST(MeasurerTest, AnswersEachCandidateInOrder) {
  MeasureRequest request;
  request.candidates.resize(3);
  int asked = 0;
  const auto results = NoMeasurer().Measure(request, [&] { return ++asked > 2; });
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].outcome, Outcome::kDeviceLost);
  EXPECT_EQ(results[2].outcome, Outcome::kCancelled);
}

TEST(WorkerFactsTest, HaveNoPeakUntilMeasured) {
  EXPECT_FALSE(WorkerFacts().peak.has_value());
  EXPECT_EQ(Peak(), (Peak{.threads = 1}));
}

}  // namespace
}  // namespace alt::measure
