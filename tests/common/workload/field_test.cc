#include "common/workload/field.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace alt::workload {
namespace {

using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// One field of each kind; steps over three axes, pads over two.
struct Sample {
  int64_t size = 0;
  int64_t step[3] = {0, 0, 0};
  int64_t pad[4] = {9, 9, 9, 9};
  bool flag = false;

  Fields fields() {
    return {SizeField("size", &size, {"extent"}),
            Field{.name = "step",
                  .kind = Field::Kind::kAxes,
                  .values = {&step[0], &step[1], &step[2]},
                  .high = 100,
                  .fallback = "1"},
            Field{.name = "pad",
                  .kind = Field::Kind::kPads,
                  .values = {&pad[0], &pad[1], &pad[2], &pad[3]},
                  .low = 0,
                  .high = 100,
                  .fallback = "0"},
            FlagField("flag", &flag, true), DtypeField()};
  }
  absl::Status Parse(absl::string_view text) { return ParseFields(text, fields()); }
  std::string Print() { return PrintFields(fields()); }
};

std::string Canonical(absl::string_view text) {
  Sample sample;
  const absl::Status status = sample.Parse(text);
  return status.ok() ? sample.Print() : std::string(status.message());
}

void ExpectRefused(absl::string_view text, absl::string_view reason) {
  Sample sample;
  EXPECT_TRUE(StatusIs(sample.Parse(text), kInvalid, reason)) << text;
}

TEST(FieldTest, DefaultsFillWhatIsLeftOut) {
  EXPECT_EQ(Canonical("size=5"), "size=5,step=1,pad=0,flag=1,dtype=f32");
}

TEST(FieldTest, OrderAndSpacesAreFree) {
  EXPECT_EQ(Canonical(" flag = 0 , dtype=f32, size =7 "), "size=7,step=1,pad=0,flag=0,dtype=f32");
}

TEST(FieldTest, EqualAxesCollapse) {
  EXPECT_EQ(Canonical("size=1,step=2x2x2"), "size=1,step=2,pad=0,flag=1,dtype=f32");
  EXPECT_EQ(Canonical("size=1,step=2x2x3"), "size=1,step=2x2x3,pad=0,flag=1,dtype=f32");
}

TEST(FieldTest, PadsCollapseToBeginsAndToOneValue) {
  EXPECT_EQ(Canonical("size=1,pad=3x3x3x3"), "size=1,step=1,pad=3,flag=1,dtype=f32");
  EXPECT_EQ(Canonical("size=1,pad=0x1x0x1"), "size=1,step=1,pad=0x1,flag=1,dtype=f32");
  EXPECT_EQ(Canonical("size=1,pad=0x1"), "size=1,step=1,pad=0x1,flag=1,dtype=f32");
  EXPECT_EQ(Canonical("size=1,pad=0x0x1x1"), "size=1,step=1,pad=0x0x1x1,flag=1,dtype=f32");
}

TEST(FieldTest, PadsAreBeginsThenEnds) {
  Sample sample;
  ALT_ASSERT_OK(sample.Parse("size=1,pad=1x2x3x4"));
  EXPECT_EQ(std::vector<int64_t>(sample.pad, sample.pad + 4), (std::vector<int64_t>{1, 2, 3, 4}));
  ALT_ASSERT_OK(sample.Parse("size=1,pad=5x6"));
  EXPECT_EQ(std::vector<int64_t>(sample.pad, sample.pad + 4), (std::vector<int64_t>{5, 6, 5, 6}));
}

TEST(FieldTest, ValuesOutOfBoundsAreNamedWithTheBounds) {
  ExpectRefused("size=0", "size=0 must be an integer from 1 to 1073741824");
  ExpectRefused("size=-3", "size=-3 must be an integer");
  ExpectRefused("size=99999999999999999999", "must be an integer from 1 to 1073741824");
  ExpectRefused("size=1,step=1x101x1", "step=1x101x1 must be an integer from 1 to 100");
  ExpectRefused("size=1,pad=-1", "pad=-1 must be an integer from 0 to 100");
}

TEST(FieldTest, WhatIsNoNumberIsRefused) {
  for (const char* value : {"", "x", "1.5", "1e3", "+1", "0x", "five", "1x", "2x2"}) {
    ExpectRefused(absl::StrCat("size=", value), absl::StrCat("size=", value, " "));
  }
}

TEST(FieldTest, AWrongNumberOfValuesSaysHowManyAreRight) {
  ExpectRefused("size=1,step=1x2", "takes 1 value or 3 (one for each axis)");
  ExpectRefused("size=1,step=1x2x3x4", "takes 1 value or 3");
  ExpectRefused("size=1,pad=1x2x3", "takes 1 value, 2 (one for each axis) or 4");
  ExpectRefused("size=1x1", "takes 1 value");
}

TEST(FieldTest, UnknownNamesComeWithASuggestionAndTheList) {
  ExpectRefused("sise=1", "unknown attribute 'sise'; did you mean 'size'?");
  ExpectRefused("stpe=1", "did you mean 'step'?");
  ExpectRefused("zzz=1",
                "unknown attribute 'zzz'. The attributes are size=,step=1,pad=0,flag=1,dtype=f32");
}

TEST(FieldTest, AliasesOfOtherToolsAreSuggestedNotAccepted) {
  ExpectRefused("extent=4", "unknown attribute 'extent'; did you mean 'size'?");
  ExpectRefused("Extent=4", "did you mean 'size'?");
}

TEST(FieldTest, MissingAttributesAreAllNamed) {
  int64_t a = 0, b = 0;
  const Fields fields = {SizeField("a", &a), SizeField("b", &b)};
  EXPECT_TRUE(StatusIs(ParseFields("", fields), kInvalid, "missing a, b"));
  EXPECT_TRUE(StatusIs(ParseFields("b=2", fields), kInvalid, "missing a."));
}

TEST(FieldTest, AnAttributeIsGivenOnce) { ExpectRefused("size=1,size=1", "size is given twice"); }

TEST(FieldTest, AttributesHaveTheFormNameValue) {
  ExpectRefused("size", "'size' is no attribute of the form name=value");
  ExpectRefused("size=1,", "'' is no attribute");
  ExpectRefused(",size=1", "'' is no attribute");
  ExpectRefused("=1", "unknown attribute ''");
}

TEST(FieldTest, FlagsAreZeroOrOne) {
  ExpectRefused("size=1,flag=2", "flag=2 must be 0 or 1");
  ExpectRefused("size=1,flag=true", "flag=true must be 0 or 1");
}

TEST(FieldTest, OtherElementTypesAreNotSupportedYet) {
  ExpectRefused("size=1,dtype=f16",
                "dtype=f16 is not supported yet by this version, which has f32");
  ExpectRefused("size=1,dtype=float", "dtype=float is no element type");
}

TEST(FieldTest, CheckSeesValuesThatWereNotParsed) {
  Sample sample;
  ALT_ASSERT_OK(sample.Parse("size=1"));
  ALT_EXPECT_OK(CheckFields(sample.fields()));
  sample.step[1] = 0;
  EXPECT_TRUE(StatusIs(CheckFields(sample.fields()), kInvalid, "step=1x0x1 must be"));
}

TEST(FieldTest, TensorsAreBounded) {
  ALT_EXPECT_OK(CheckElements("x", {1 << 20, 1 << 20}));
  EXPECT_TRUE(StatusIs(CheckElements("x", {1 << 20, 1 << 20, 2}), kInvalid,
                       "tensor x [1048576, 1048576, 2] is larger than"));
}

}  // namespace
}  // namespace alt::workload
