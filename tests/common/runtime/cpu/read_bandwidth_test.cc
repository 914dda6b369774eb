#include "common/runtime/cpu/read_bandwidth.h"

#include <sys/mman.h>

#include "common/runtime/cpu/cpu_list.h"
#include "common/runtime/cpu/huge_buffer.h"

namespace alt::runtime {
namespace {

TEST(ReadAllOnceTest, StaysWithinItsBytes) {
  // The page after the data allows no access: a load too many would crash.
  auto* range = static_cast<char*>(ReserveAligned(3 * 4096));
  ASSERT_NE(range, nullptr);
  ASSERT_EQ(mprotect(range, 2 * 4096, PROT_READ | PROT_WRITE), 0);
  for (VectorKind kind : SupportedVectorKinds()) {
    for (int64_t bytes : {0, 1024, 2048, 8192}) ReadAllOnce(kind, range + 8192 - bytes, bytes);
  }
  ReadAllOnce(VectorKind::kPortable, range, 8192);
  munmap(range, 3 * 4096);
}

TEST(ReadInStreamsTest, StaysWithinItsBytes) {
  auto* range = static_cast<char*>(ReserveAligned(3 * 4096));
  ASSERT_NE(range, nullptr);
  ASSERT_EQ(mprotect(range, 2 * 4096, PROT_READ | PROT_WRITE), 0);
  for (VectorKind kind : SupportedVectorKinds()) {
    for (int streams : {1, 3, 4, 8}) {
      for (int64_t bytes : {0, 1024, 5120, 8192}) {
        ReadInStreams(kind, range + 8192 - bytes, bytes, streams, 0);
        ReadInStreams(kind, range + 8192 - bytes, bytes, streams, 4096);
      }
    }
  }
  munmap(range, 3 * 4096);
}

TEST(MeasureReadGbsTest, SpeedIsPositive) {
  PinnedPool pool(ChooseCpus(AllowedCpus(), 2));
  for (VectorKind kind : SupportedVectorKinds()) {
    EXPECT_GT(MeasureReadGbs(pool, kind, 16 << 10, 1e4), 0);
  }
  EXPECT_GT(MeasureReadGbs(pool, VectorKind::kPortable, 1 << 20, 1e4), 0);
}

TEST(MeasureReadGbsTest, WithoutMemoryThereIsNoSpeed) {
  PinnedPool pool(ChooseCpus(AllowedCpus(), 1));
  EXPECT_EQ(MeasureReadGbs(pool, VectorKind::kPortable, int64_t{1} << 60, 1e4), 0);
}

}  // namespace
}  // namespace alt::runtime
