#include "common/runtime/cpu/pinned_pool.h"

#include <sched.h>

#include <numeric>

#include "common/runtime/cpu/cpu_list.h"

namespace alt::runtime {
namespace {

std::vector<int> Cpus(int threads) { return ChooseCpus(AllowedCpus(), threads); }

// What a body was called with.
struct Chunk {
  int64_t begin = -1, end = -1;
  int thread = -1;
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

// The chunks of one loop over [0, n), by thread; threads without one keep -1.
std::vector<Chunk> ChunksOf(PinnedPool& pool, int64_t n) {
  std::vector<Chunk> chunks(static_cast<size_t>(pool.threads()));
  pool.get()->parallel_for(
      pool.get(),
      [](void* context, int64_t begin, int64_t end, int thread) {
        static_cast<Chunk*>(context)[thread] = {begin, end, thread};
      },
      chunks.data(), n);
  return chunks;
}

TEST(PinnedPoolTest, ChunksDependOnlyOnTheCountAndTheThreads) {
  PinnedPool pool(Cpus(3));
  ASSERT_EQ(pool.threads(), 3);
  const std::vector<Chunk> expected = {{0, 3, 0}, {3, 6, 1}, {6, 10, 2}};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ChunksOf(pool, 10), expected);
}

TEST(PinnedPoolTest, FewerIterationsThanThreadsLeaveThreadsOut) {
  PinnedPool pool(Cpus(4));
  const std::vector<Chunk> chunks = ChunksOf(pool, 2);
  int64_t covered = 0;
  for (const Chunk& chunk : chunks) {
    if (chunk.thread >= 0) covered += chunk.end - chunk.begin;
  }
  EXPECT_EQ(covered, 2);
}

TEST(PinnedPoolTest, NothingToDoCallsNothing) {
  PinnedPool pool(Cpus(2));
  for (const Chunk& chunk : ChunksOf(pool, 0)) EXPECT_EQ(chunk.thread, -1);
}

TEST(PinnedPoolTest, OneThreadRunsOnTheCaller) {
  PinnedPool pool(Cpus(1));
  EXPECT_EQ(pool.threads(), 1);
  EXPECT_EQ(ChunksOf(pool, 7), (std::vector<Chunk>{{0, 7, 0}}));
}

// Each iteration increments its own cell, without atomics: a data race or a lost or repeated
// iteration shows (the former under tsan).
void CountLoops(PinnedPool& pool, int loops) {
  for (int64_t n : {1, 2, 3, 17, 64}) {
    std::vector<int> cells(static_cast<size_t>(n), 0);
    for (int i = 0; i < loops; ++i) {
      pool.get()->parallel_for(
          pool.get(),
          [](void* context, int64_t begin, int64_t end, int) {
            for (int64_t c = begin; c < end; ++c) ++static_cast<int*>(context)[c];
          },
          cells.data(), n);
    }
    for (int cell : cells) ASSERT_EQ(cell, loops) << "n=" << n;
  }
}

TEST(PinnedPoolTest, LoopsInARowRunEachIterationOnce) {
  PinnedPool pool(Cpus(2));
  CountLoops(pool, 2000);
}

TEST(PinnedPoolTest, SleepingWorkersWakeUp) {
  PinnedPool pool(Cpus(2), {.spins = 0});
  CountLoops(pool, 500);
}

TEST(PinnedPoolTest, MoreThreadsThanCpusStillFinish) {
  PinnedPool pool(Cpus(9), {.spins = 0});
  EXPECT_EQ(pool.threads(), 9);
  CountLoops(pool, 100);
}

TEST(PinnedPoolTest, PoolsComeAndGo) {
  for (int i = 0; i < 50; ++i) {
    PinnedPool pool(Cpus(3), {.spins = 0});
    if (i % 2 == 0) ChunksOf(pool, 5);
  }
}

TEST(PinnedPoolTest, WorkersArePinnedToTheirCpus) {
  const std::vector<int> cpus = Cpus(2);
  PinnedPool pool(cpus);
  std::vector<cpu_set_t> sets(2);
  pool.get()->parallel_for(
      pool.get(),
      [](void* context, int64_t, int64_t, int thread) {
        sched_getaffinity(0, sizeof(cpu_set_t), &static_cast<cpu_set_t*>(context)[thread]);
      },
      sets.data(), 2);
  EXPECT_EQ(CPU_COUNT(&sets[1]), 1);
  EXPECT_TRUE(CPU_ISSET(cpus[1], &sets[1]));
}

}  // namespace
}  // namespace alt::runtime
