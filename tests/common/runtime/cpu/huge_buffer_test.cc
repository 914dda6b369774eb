#include "common/runtime/cpu/huge_buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <limits>

namespace alt::runtime {
namespace {

bool Aligned(const void* p, size_t alignment) {
  return reinterpret_cast<uintptr_t>(p) % alignment == 0;
}

TEST(HugeBufferTest, LargeOnesStartOnAHugePage) {
  HugeBuffer buffer(kHugeFromBytes + 100);
  ASSERT_NE(buffer.data(), nullptr);
  EXPECT_TRUE(Aligned(buffer.data(), kHugePageBytes));
  EXPECT_EQ(buffer.bytes(), kHugeFromBytes + 100);
}

TEST(HugeBufferTest, IsZeroedAndWritable) {
  HugeBuffer buffer(100000);
  auto* bytes = static_cast<char*>(buffer.data());
  ASSERT_NE(bytes, nullptr);
  EXPECT_TRUE(Aligned(bytes, 4096));
  for (size_t i = 0; i < buffer.bytes(); ++i) ASSERT_EQ(bytes[i], 0);
  bytes[0] = bytes[99999] = 1;
}

TEST(HugeBufferTest, MovesItsMemory) {
  HugeBuffer first(5000);
  void* const data = first.data();
  HugeBuffer second(std::move(first));
  EXPECT_EQ(second.data(), data);
  HugeBuffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.bytes(), 5000U);
}

TEST(HugeBufferTest, NothingAndTooMuchAreNull) {
  EXPECT_EQ(HugeBuffer(0).data(), nullptr);
  EXPECT_EQ(HugeBuffer(size_t{1} << 60).data(), nullptr);
}

TEST(RoundToPagesTest, SmallPagesForLittleHugeOnesForMuch) {
  EXPECT_EQ(RoundToPages(1), 4096U);
  EXPECT_EQ(RoundToPages(4097), 8192U);
  EXPECT_EQ(RoundToPages(kHugeFromBytes), kHugePageBytes);
  EXPECT_EQ(RoundToPages(kHugePageBytes), kHugePageBytes);
  EXPECT_EQ(RoundToPages(kHugePageBytes + 1), 2 * kHugePageBytes);
}

TEST(ReserveAlignedTest, GivesARangeThatCanBeMappedOver) {
  const size_t bytes = 3 * kHugePageBytes;
  void* const range = ReserveAligned(bytes);
  ASSERT_NE(range, nullptr);
  EXPECT_TRUE(Aligned(range, kHugePageBytes));
  void* const mapped =
      mmap(range, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_EQ(mapped, range);
  static_cast<char*>(mapped)[bytes - 1] = 1;
  EXPECT_EQ(munmap(range, bytes), 0);
}

}  // namespace
}  // namespace alt::runtime
