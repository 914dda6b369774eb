#include "worker/measure/guarded_buffer.h"

#include <cmath>
#include <set>

namespace alt::worker {
namespace {

std::unique_ptr<GuardedBuffer> Make(int64_t floats, int place = 0) {
  absl::StatusOr<std::unique_ptr<GuardedBuffer>> buffer = GuardedBuffer::Create("y", floats, place);
  EXPECT_TRUE(buffer.ok());
  return *std::move(buffer);
}

TEST(GuardedBufferTest, IsAlignedAndLiesWithinItsMemory) {
  const auto buffer = Make(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->cells().data()) % 64, 0U);
  EXPECT_EQ(buffer->cells().size(), 100U);
  EXPECT_EQ(buffer->bytes(), 400);
  EXPECT_GT(buffer->offset(), 0);
  EXPECT_LT(buffer->offset() + buffer->bytes(), buffer->memory_bytes());
}

TEST(GuardedBufferTest, OperandsStartAtDifferentOffsetsWithinAPage) {
  std::set<int64_t> offsets;
  for (int place = 0; place < 8; ++place) offsets.insert(Make(16, place)->offset() % 4096);
  EXPECT_EQ(offsets.size(), 8U);
}

TEST(GuardedBufferTest, NumbersAreUnique) { EXPECT_NE(Make(1)->id(), Make(1)->id()); }

TEST(GuardedBufferTest, PoisonIsNotANumberAnywhere) {
  const auto buffer = Make(33);
  buffer->Poison();
  for (float cell : buffer->cells()) EXPECT_TRUE(std::isnan(cell));
  EXPECT_FALSE(buffer->TakeDamage().has_value());
}

TEST(GuardedBufferTest, WritingAllOfItDoesNoDamage) {
  const auto buffer = Make(33);
  for (float& cell : buffer->cells()) cell = 1;
  EXPECT_FALSE(buffer->TakeDamage().has_value());
}

TEST(GuardedBufferTest, AStoreBehindIsSeenAndMended) {
  const auto buffer = Make(33);
  buffer->cells().data()[33] = 0;
  EXPECT_EQ(buffer->TakeDamage(), "0 bytes past the end");
  EXPECT_FALSE(buffer->TakeDamage().has_value());
}

TEST(GuardedBufferTest, AStoreFarBehindIsSeen) {
  const auto buffer = Make(33);
  buffer->cells().data()[33 + 1000] = 0;
  EXPECT_EQ(buffer->TakeDamage(), "4000 bytes past the end");
}

TEST(GuardedBufferTest, AStoreBeforeIsSeenAndMended) {
  const auto buffer = Make(33);
  buffer->cells().data()[-1] = 0;
  EXPECT_EQ(buffer->TakeDamage(), "4 bytes before the start");
  EXPECT_FALSE(buffer->TakeDamage().has_value());
}

TEST(GuardedBufferTest, WhatIsReadOutOfBoundsIsNotANumber) {
  const auto buffer = Make(33);
  EXPECT_TRUE(std::isnan(buffer->cells().data()[33]));
  EXPECT_TRUE(std::isnan(buffer->cells().data()[-1]));
}

}  // namespace
}  // namespace alt::worker
