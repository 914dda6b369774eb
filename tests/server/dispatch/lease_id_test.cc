#include "server/dispatch/lease_id.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"

namespace alt::dispatch {
namespace {

TEST(LeaseIdTest, NamesSayWhatIsLeased) {
  const LeaseName name{"1f3a", 5, 12, "j7", 3, {0, 1, 2, 4, 8, 9}};
  EXPECT_EQ(PrintLeaseName(name), "1f3a.5.12/j7/3/0-2,4,8-9");
  EXPECT_EQ(ParseLeaseName("1f3a.5.12/j7/3/0-2,4,8-9"), name);
}

TEST(LeaseIdTest, RandomNamesReadBack) {
  base::Random random(1);
  for (int round = 0; round < 500; ++round) {
    LeaseName name{"db", random.UniformInt(1, 100),  random.UniformInt(1, 1 << 30),
                   "j1", random.UniformInt(0, 1000), {}};
    int64_t index = -1;
    for (int64_t i = random.UniformInt(1, 40); i > 0; --i) {
      index += random.Bernoulli(0.7) ? 1 : random.UniformInt(1, 9);
      name.indices.push_back(index);
    }
    EXPECT_EQ(ParseLeaseName(PrintLeaseName(name)), name) << PrintLeaseName(name);
  }
}

TEST(LeaseIdTest, WhatIsNotANameDoesNotParse) {
  for (const char* text :
       {"", "a", "a.1.1/j1/0", "a.1.1/j1/0/", "a.1/j1/0/0", "a.x.1/j1/0/0", "a.1.1/j1/x/0",
        "a.1.1/j1/0/1-0", "a.1.1/j1/0/0,0", "a.1.1/j1/0/2,1", "a.1.1/j1/0/-1", "a.1.1/j1/0/0-",
        "a.1.1/j1/0/0/0", "a.1.1/j1/0/00", "a.1.1/j1/0/0,1", "a.01.1/j1/0/0", "a.1.1/j1/0/0-2000",
        "a.1.1/j1/0/0-9223372036854775807", "a.1.1/j1/0/ 1"}) {
    EXPECT_EQ(ParseLeaseName(text), std::nullopt) << text;
  }
}

TEST(LeaseIdTest, AListThatIsTooLongDoesNotParse) {
  std::string text = "a.1.1/j1/0/0";
  for (int64_t i = 1; i <= kMaxLeaseSize; ++i) absl::StrAppend(&text, ",", 2 * i);
  EXPECT_EQ(ParseLeaseName(text), std::nullopt);
  EXPECT_TRUE(ParseLeaseName(absl::StrCat("a.1.1/j1/0/0-", kMaxLeaseSize - 1)).has_value());
}

}  // namespace
}  // namespace alt::dispatch
