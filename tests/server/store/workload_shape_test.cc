#include "server/store/workload_shape.h"

#include <gtest/gtest.h>

namespace alt::store {
namespace {

constexpr char kConv[] =
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=1,dilation=1,groups=1,dtype=f32";

std::optional<double> Distance(absl::string_view a, absl::string_view b) {
  const auto distance = ShapeDistance(WorkloadShape::Parse(a), WorkloadShape::Parse(b));
  EXPECT_EQ(ShapeDistance(WorkloadShape::Parse(b), WorkloadShape::Parse(a)), distance);
  return distance;
}

std::string Conv(absl::string_view from, absl::string_view to) {
  std::string text = kConv;
  const size_t at = text.find(std::string(from));
  return text.replace(at, from.size(), std::string(to));
}

TEST(WorkloadShapeTest, TextIsTakenApart) {
  const WorkloadShape shape = WorkloadShape::Parse("conv2d:n=1,pad=0x1x0x1,dtype=f32;bias;relu");
  EXPECT_EQ(shape.op, "conv2d");
  EXPECT_EQ(shape.tail, ";bias;relu");
  ASSERT_EQ(shape.attributes.size(), 3u);
  EXPECT_EQ(shape.attributes[1].name, "pad");
  EXPECT_EQ(shape.attributes[1].values, (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ(shape.attributes[2].word, "f32");
}

TEST(WorkloadShapeTest, TheSameIsAtNoDistance) { EXPECT_EQ(Distance(kConv, kConv), 0); }

TEST(WorkloadShapeTest, ADoubledExtentCountsOne) {
  EXPECT_EQ(Distance(kConv, Conv("oc=64", "oc=128")), 1);
  EXPECT_EQ(Distance(kConv, Conv("ic=64", "ic=16")), 2);
  EXPECT_EQ(Distance(kConv, Conv("n=1", "n=4")), 1);
}

TEST(WorkloadShapeTest, WindowsAndStridesCountMore) {
  EXPECT_GT(Distance(kConv, Conv("stride=1", "stride=2")), 3);
  EXPECT_GT(Distance(kConv, Conv("kh=3", "kh=1")), Distance(kConv, Conv("ih=56", "ih=14")));
  EXPECT_GT(Distance(kConv, Conv("groups=1", "groups=64")), 10);
}

TEST(WorkloadShapeTest, CollapsedAxesCompareWithOpenOnes) {
  EXPECT_EQ(Distance(kConv, Conv("stride=1", "stride=1x1")), 0);
  EXPECT_EQ(Distance(kConv, Conv("stride=1", "stride=2x1")), 4);
  EXPECT_EQ(Distance(kConv, Conv("pad=1", "pad=0")), 1);
}

TEST(WorkloadShapeTest, ATailCountsOne) {
  EXPECT_EQ(Distance(kConv, std::string(kConv) + ";relu"), 1);
}

TEST(WorkloadShapeTest, WhatDoesNotCompareHasNoDistance) {
  EXPECT_EQ(Distance(kConv, "matmul:m=1,n=1,k=1"), std::nullopt);
  EXPECT_EQ(Distance(kConv, Conv("dtype=f32", "dtype=f16")), std::nullopt);
  EXPECT_EQ(Distance("matmul:m=1,n=1", "matmul:m=1,n=1,k=1"), std::nullopt);
  EXPECT_EQ(Distance("matmul:m=1,n=1", "matmul:m=1,k=1"), std::nullopt);
  EXPECT_EQ(Distance("anything", "anything"), 0);
}

}  // namespace
}  // namespace alt::store
