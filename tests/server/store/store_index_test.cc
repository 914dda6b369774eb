#include "server/store/store_index.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include "absl/strings/str_cat.h"
#include "tests/testing/records.h"

namespace alt::store {
namespace {

// What is allocated, by the allocator's own count.
size_t AllocatedBytes() { return mallinfo2().uordblks; }

// 100 records each of many workloads, candidates of a usual length with a few hundred layouts.
TEST(StoreIndexTest, ARecordTakesFewBytes) {
  constexpr int64_t kRecords = 50000;
  const size_t before = AllocatedBytes();
  StoreIndex index;
  const std::string trace(600, 't');
  for (int64_t i = 0; i < kRecords; ++i) {
    const RecordKey key{
        absl::StrCat("conv2d:n=1,ic=", i / 100, ",ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=1,",
                     "dilation=1,groups=1,dtype=f32"),
        testing::kTargetText,
        absl::StrCat("algorithm direct\nlayout w: split(", i % 97, ")\nlayout x: split(", i % 31,
                     ")\nlayout y: split(", i % 89, ")\n", trace)};
    const uint32_t record =
        index.AddRecord(static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u, key, i + 1);
    const measure::MeasureResult result = testing::OkResult(100.0 + static_cast<double>(i % 50));
    index.AddMeasured(record,
                      {.sequence = i + 1,
                       .result = result,
                       .provenance = testing::At(i),
                       .validators = {{"llvm", "19"}}},
                      key.candidate);
  }
  const size_t bytes = AllocatedBytes() - before;
  if (bytes == 0) GTEST_SKIP() << "a sanitizer's allocator does not count";
  RecordProperty("bytes_a_record", static_cast<int>(bytes / kRecords));
  EXPECT_LT(bytes / kRecords, 200u);
  EXPECT_EQ(index.Stats().records, kRecords);
}

}  // namespace
}  // namespace alt::store
