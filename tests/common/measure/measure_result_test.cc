#include "common/measure/measure_result.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "common/base/random.h"

namespace alt::measure {
namespace {

TEST(OutcomeTest, EveryOutcomeHasANameThatParsesBack) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(Outcome::kCancelled); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    const std::string name(OutcomeName(outcome));
    EXPECT_TRUE(names.insert(name).second) << name << " names two outcomes";
    EXPECT_EQ(ParseOutcome(name), outcome);
  }
}

TEST(OutcomeTest, NamesAreThoseOfTheDesign) {
  EXPECT_EQ(OutcomeName(Outcome::kOk), "OK");
  EXPECT_EQ(OutcomeName(Outcome::kRunTimeout), "RUN_TIMEOUT");
  EXPECT_EQ(OutcomeName(Outcome::kOomDevice), "OOM_DEVICE");
  EXPECT_EQ(OutcomeName(Outcome::kCancelled), "CANCELLED");
}

TEST(OutcomeTest, UnknownNamesDoNotParse) {
  EXPECT_EQ(ParseOutcome(""), std::nullopt);
  EXPECT_EQ(ParseOutcome("ok"), std::nullopt);
  EXPECT_EQ(ParseOutcome("OK "), std::nullopt);
}

TEST(OutcomeTest, AValueOutsideTheEnumHasANameToo) {
  EXPECT_EQ(OutcomeName(static_cast<Outcome>(200)), "UNKNOWN");
}

TEST(LatencyTest, ThePlusMinusCoversTheMedianInNineteenOfTwentySeries) {
  base::Random random(3);
  int covered = 0;
  for (int series = 0; series < 2000; ++series) {
    std::vector<double> times(25);
    for (double& ns : times) {  // nearly normal, around 1000
      ns = 940;
      for (int i = 0; i < 12; ++i) ns += 10 * random.UnitDouble();
    }
    const auto median = [](std::vector<double> v) {
      std::sort(v.begin(), v.end());
      return v[v.size() / 2];
    };
    Latency latency{.median_ns = median(times), .n = 25};
    for (double& ns : times) ns = std::abs(ns - latency.median_ns);
    latency.mad_ns = median(times);
    covered += std::abs(latency.median_ns - 1000) <= PlusMinusNs(latency) ? 1 : 0;
  }
  EXPECT_GE(covered, 1800);
  EXPECT_LE(covered, 1980);
}

TEST(LatencyTest, FourTimesTheBatchesHalveThePlusMinus) {
  EXPECT_DOUBLE_EQ(PlusMinusNs({.mad_ns = 8, .n = 100}), PlusMinusNs({.mad_ns = 4, .n = 25}));
  EXPECT_EQ(PlusMinusNs({.mad_ns = 0, .n = 1}), 0);
}

}  // namespace
}  // namespace alt::measure
