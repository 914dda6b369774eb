#include "common/measure/measure_result.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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

}  // namespace
}  // namespace alt::measure
