#include "server/store/text_fields.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/testing/status_matchers.h"

namespace alt::store {
namespace {

using testing::StatusIs;

TEST(TextFieldsTest, EveryKindReadsBack) {
  FieldWriter out;
  out.Text("text", "two\nlines and a \\ and a \\n");
  out.Text("empty", "");
  out.Int("int", std::numeric_limits<int64_t>::min());
  out.Uint("uint", std::numeric_limits<uint64_t>::max());
  out.Double("third", 1.0 / 3);
  out.Double("tiny", 5e-324);
  out.OptionalDouble("there", 0.1);
  out.OptionalDouble("not_there", std::nullopt);
  ALT_ASSERT_OK_AND_ASSIGN(FieldReader in, FieldReader::Parse(out.Take()));
  EXPECT_EQ(in.Text("text"), "two\nlines and a \\ and a \\n");
  EXPECT_EQ(in.Text("empty", "absent"), "");
  EXPECT_EQ(in.Int("int"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(in.Uint("uint"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(in.Double("third"), 1.0 / 3);
  EXPECT_EQ(in.Double("tiny"), 5e-324);
  EXPECT_EQ(in.OptionalDouble("there"), 0.1);
  EXPECT_EQ(in.OptionalDouble("not_there"), std::nullopt);
  ALT_EXPECT_OK(in.status());
}

TEST(TextFieldsTest, AnAbsentFieldReadsAsTheValueGiven) {
  ALT_ASSERT_OK_AND_ASSIGN(FieldReader in, FieldReader::Parse("a 1\n"));
  EXPECT_EQ(in.Int("b", 7), 7);
  EXPECT_EQ(in.Text("b", "x"), "x");
  EXPECT_EQ(in.Double("b", 0.5), 0.5);
  EXPECT_TRUE(in.All("b").empty());
  ALT_EXPECT_OK(in.status());
}

TEST(TextFieldsTest, ANameMayComeAgain) {
  ALT_ASSERT_OK_AND_ASSIGN(FieldReader in, FieldReader::Parse("a 1\nb 2\na 3\n"));
  EXPECT_EQ(in.All("a"), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(in.Int("a"), 1);
  EXPECT_EQ(in.fields().size(), 3u);
}

TEST(TextFieldsTest, TheFirstBadValueIsRemembered) {
  ALT_ASSERT_OK_AND_ASSIGN(FieldReader in, FieldReader::Parse("a x\nb y\n"));
  in.Int("a");
  in.Double("b");
  EXPECT_TRUE(StatusIs(in.status(), absl::StatusCode::kDataLoss, "field a has a bad value 'x'"));
}

TEST(TextFieldsTest, WhatIsNotFieldsIsDataLoss) {
  for (const char* text : {"a", "a 1", "a\n", "a \\x\n", "a \\\n", "\n"}) {
    EXPECT_TRUE(StatusIs(FieldReader::Parse(text), absl::StatusCode::kDataLoss)) << text;
  }
  ALT_EXPECT_OK(FieldReader::Parse(""));
}

}  // namespace
}  // namespace alt::store
