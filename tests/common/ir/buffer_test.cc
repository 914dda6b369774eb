#include "common/ir/buffer.h"

#include <gtest/gtest.h>

namespace alt::ir {
namespace {

TEST(DTypeTest, PrintsWithItsLanes) {
  EXPECT_EQ(ToString(kF32), "f32");
  EXPECT_EQ(ToString(kF64.WithLanes(8)), "f64x8");
  EXPECT_EQ(ToString(kIndex.WithLanes(4)), "indexx4");
  EXPECT_EQ(ToString(kBool), "bool");
}

TEST(DTypeTest, KnowsItsBytes) {
  EXPECT_EQ(ScalarBytes(ScalarType::kBool), 1);
  EXPECT_EQ(ScalarBytes(ScalarType::kF32), 4);
  EXPECT_EQ(ScalarBytes(ScalarType::kF64), 8);
  EXPECT_EQ(ScalarBytes(ScalarType::kIndex), 8);
  EXPECT_TRUE(kF64.is_float());
  EXPECT_FALSE(kIndex.is_float());
}

TEST(BufferTest, IsRowMajor) {
  const Buffer b = MakeBuffer("b", {2, 3, 5});
  EXPECT_EQ(NumElements(*b), 30);
  EXPECT_EQ(Strides(*b), (std::vector<int64_t>{15, 5, 1}));
}

TEST(BufferTest, NoDimensionsMeansOneElement) {
  const Buffer b = MakeBuffer("b", {});
  EXPECT_EQ(NumElements(*b), 1);
  EXPECT_TRUE(Strides(*b).empty());
}

TEST(BufferTest, TablesHoldTheirValues) {
  const Buffer t = MakeTable("t", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(t->scope, Scope::kTable);
  EXPECT_EQ(t->table[3], 4);
}

TEST(BufferDeathTest, ExtentsArePositiveAndTablesComplete) {
  EXPECT_DEATH(MakeBuffer("b", {4, 0}), "buffer b has an extent of 0");
  EXPECT_DEATH(MakeTable("t", {2, 2}, {1}), "table t has 1 values for 4 cells");
  EXPECT_DEATH(MakeBuffer("t", {1}, kF32, Scope::kTable), "MakeTable makes tables");
}

}  // namespace
}  // namespace alt::ir
