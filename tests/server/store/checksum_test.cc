#include "server/store/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace alt::store {
namespace {

TEST(ChecksumTest, NeverChanges) {
  EXPECT_EQ(Checksum().value(), 2685821658184886668);
  EXPECT_EQ(Checksum().Add(int64_t{1}).Add(0.5).Add("some text of odd length").value(),
            -2731392953130806110);
}

TEST(ChecksumTest, EveryBitCounts) {
  const std::string text = "split(1,16) reorder(0,2,1)";
  std::set<int64_t> seen = {Checksum().Add(text).value()};
  for (size_t i = 0; i < text.size() * 8; ++i) {
    std::string flipped = text;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    EXPECT_TRUE(seen.insert(Checksum().Add(flipped).value()).second) << i;
  }
}

TEST(ChecksumTest, WhereOneValueEndsCounts) {
  EXPECT_NE(Checksum().Add("ab").Add("c").value(), Checksum().Add("a").Add("bc").value());
  EXPECT_NE(Checksum().Add("").value(), Checksum().value());
  EXPECT_NE(Checksum().Add("a").value(), Checksum().Add(absl::string_view("a\0", 2)).value());
}

TEST(ChecksumTest, AbsentIsNotZero) {
  EXPECT_NE(Checksum().Add(std::optional<int64_t>()).value(),
            Checksum().Add(std::optional<int64_t>(0)).value());
}

}  // namespace
}  // namespace alt::store
