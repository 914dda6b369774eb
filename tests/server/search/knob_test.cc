#include "server/search/space/knob.h"

#include "gtest/gtest.h"

namespace alt::search {
namespace {

Knobs Sample() {
  Knobs knobs;
  knobs.Add("block", {0, 8, 16, 32}, true);
  knobs.Add("order", {0, 1, 2});
  knobs.Add("only", {7});
  return knobs;
}

TEST(KnobsTest, KeepTheirOrderAndKind) {
  const Knobs knobs = Sample();
  ASSERT_EQ(knobs.size(), 3u);
  EXPECT_EQ(knobs.IndexOf("block"), 0u);
  EXPECT_EQ(knobs.IndexOf("only"), 2u);
  EXPECT_TRUE(knobs.all()[0].layout);
  EXPECT_FALSE(knobs.all()[1].layout);
}

TEST(KnobsTest, TheOriginIsTheFirstChoiceEverywhere) {
  const Knobs knobs = Sample();
  const Point origin = knobs.Origin();
  EXPECT_EQ(origin, (Point{0, 0, 0}));
  EXPECT_EQ(knobs.Value(origin, "block"), 0);
  EXPECT_EQ(knobs.Value(origin, "only"), 7);
}

TEST(KnobsTest, ValuesAreReadByNameThroughThePoint) {
  const Knobs knobs = Sample();
  EXPECT_EQ(knobs.Value({2, 1, 0}, "block"), 16);
  EXPECT_EQ(knobs.Value({2, 1, 0}, "order"), 1);
}

TEST(KnobsTest, SettingAnOfferedValueChoosesIt) {
  const Knobs knobs = Sample();
  Point point = knobs.Origin();
  knobs.Set(point, "block", 32);
  EXPECT_EQ(knobs.Value(point, "block"), 32);
  EXPECT_EQ(knobs.Value(point, "order"), 0) << "others stay";
}

TEST(KnobsTest, SettingAnotherValueChoosesTheNearest) {
  const Knobs knobs = Sample();
  Point point = knobs.Origin();
  knobs.Set(point, "block", 26);
  EXPECT_EQ(knobs.Value(point, "block"), 32);
  knobs.Set(point, "block", 1000);
  EXPECT_EQ(knobs.Value(point, "block"), 32);
  knobs.Set(point, "block", -5);
  EXPECT_EQ(knobs.Value(point, "block"), 0);
}

TEST(KnobsTest, OfTwoThatAreEquallyNearTheSmallerIsChosen) {
  const Knobs knobs = Sample();
  Point point = knobs.Origin();
  knobs.Set(point, "block", 24);
  EXPECT_EQ(knobs.Value(point, "block"), 16);
  knobs.Set(point, "block", 4);
  EXPECT_EQ(knobs.Value(point, "block"), 0);
}

TEST(KnobsDeathTest, AnUnknownNameStopsTheProcess) {
  const Knobs knobs = Sample();
  EXPECT_DEATH(knobs.IndexOf("blocks"), "no knob blocks");
}

TEST(KnobsDeathTest, AKnobNeedsAChoice) {
  Knobs knobs;
  EXPECT_DEATH(knobs.Add("empty", {}), "empty");
}

TEST(ChoicesTest, UpToKeepsTheExtentItself) {
  EXPECT_EQ(UpTo(8, {1, 4, 8, 16}), (std::vector<int64_t>{1, 4, 8}));
  EXPECT_TRUE(UpTo(0, {1, 4}).empty());
}

TEST(ChoicesTest, ProperDivisorsAreSmallerThanTheExtent) {
  EXPECT_EQ(ProperDivisors(48, {8, 16, 32, 48, 96}), (std::vector<int64_t>{8, 16}));
  EXPECT_TRUE(ProperDivisors(17, {8, 16}).empty());
  EXPECT_TRUE(ProperDivisors(1, {1, 2}).empty());
}

}  // namespace
}  // namespace alt::search
