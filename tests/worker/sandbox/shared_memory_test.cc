#include "worker/sandbox/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/file.h"

namespace alt::sandbox {
namespace {

using alt::testing::StatusIs;

TEST(SharedMemoryTest, BothMappingsSeeTheSameBytes) {
  ALT_ASSERT_OK_AND_ASSIGN(SharedMemory memory, SharedMemory::Create("test", 100));
  EXPECT_EQ(memory.bytes(), 4096U);
  EXPECT_EQ(memory.data()[99], 0);
  void* const other =
      mmap(nullptr, memory.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd(), 0);
  ASSERT_NE(other, MAP_FAILED);
  static_cast<char*>(other)[99] = 7;
  EXPECT_EQ(memory.data()[99], 7);
  munmap(other, memory.bytes());
}

TEST(SharedMemoryTest, MovesItsMapping) {
  ALT_ASSERT_OK_AND_ASSIGN(SharedMemory first, SharedMemory::Create("test", 100));
  char* const data = first.data();
  SharedMemory second(std::move(first));
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT: what moving leaves is part of the contract
  second.data()[0] = 1;
}

TEST(SharedMemoryTest, TooMuchIsAnError) {
  EXPECT_FALSE(SharedMemory::Create("test", size_t{1} << 60).ok());
}

}  // namespace
}  // namespace alt::sandbox
