#include "server/dispatch/measure_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/dispatch/harness.h"

namespace alt::dispatch {
namespace {

Chunk MakeChunk(const std::string& job, int64_t batch, int64_t size = 1, int priority = 0,
                int threads = 1) {
  Chunk chunk{.job = job, .batch = batch, .target = CpuTarget(threads), .priority = priority};
  chunk.indices.resize(static_cast<size_t>(size));
  std::iota(chunk.indices.begin(), chunk.indices.end(), 0);
  return chunk;
}

// What a worker with so many threads serves.
std::optional<Chunk> Pop(MeasureQueue& queue, int threads = 1) {
  return queue.Pop([&](const Chunk& chunk) { return Serves(CpuTarget(threads), chunk.target); });
}

// "j1/0" or "" when there is nothing.
std::string Next(MeasureQueue& queue, int threads = 1) {
  const auto chunk = Pop(queue, threads);
  return chunk ? chunk->job + "/" + std::to_string(chunk->batch) : "";
}

TEST(MeasureQueueTest, AJobIsServedFirstInFirstOut) {
  MeasureQueue queue;
  EXPECT_TRUE(queue.empty());
  for (int i = 0; i < 3; ++i) queue.PushBack(MakeChunk("j1", i));
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(Next(queue), "j1/0");
  queue.PushFront(MakeChunk("j1", 0));
  EXPECT_EQ(Next(queue), "j1/0");
  EXPECT_EQ(Next(queue), "j1/1");
  EXPECT_EQ(Next(queue), "j1/2");
  EXPECT_EQ(Next(queue), "");
  EXPECT_TRUE(queue.empty());
}

TEST(MeasureQueueTest, JobsShareByCandidatesNotByChunks) {
  MeasureQueue queue;
  for (int i = 0; i < 300; ++i) {
    queue.PushBack(MakeChunk("large", i, 8));
    queue.PushBack(MakeChunk("small", i, 2));
    queue.PushBack(MakeChunk("smaller", i, 1));
  }
  std::map<std::string, int64_t> given;
  for (int i = 0; i < 110; ++i) {
    const auto chunk = Pop(queue);
    given[chunk->job] += static_cast<int64_t>(chunk->indices.size());
  }
  for (const auto& [job, candidates] : given) {
    EXPECT_NEAR(static_cast<double>(candidates), 68, 8) << job;
  }
}

TEST(MeasureQueueTest, ALateJobStartsLevelWithTheOthers) {
  MeasureQueue queue;
  for (int i = 0; i < 100; ++i) queue.PushBack(MakeChunk("old", i));
  for (int i = 0; i < 50; ++i) Next(queue);
  for (int i = 0; i < 100; ++i) queue.PushBack(MakeChunk("young", i));
  int young = 0;
  for (int i = 0; i < 40; ++i) young += Next(queue).substr(0, 5) == "young";
  EXPECT_NEAR(young, 20, 1);
}

TEST(MeasureQueueTest, AJobThatHadNothingToDoHasNoClaim) {
  MeasureQueue queue;
  queue.PushBack(MakeChunk("idle", 0));
  EXPECT_EQ(Next(queue), "idle/0");
  for (int i = 0; i < 100; ++i) queue.PushBack(MakeChunk("busy", i));
  for (int i = 0; i < 50; ++i) Next(queue);
  for (int i = 0; i < 50; ++i) queue.PushBack(MakeChunk("idle", i));
  int idle = 0;
  for (int i = 0; i < 20; ++i) idle += Next(queue).substr(0, 4) == "idle";
  EXPECT_NEAR(idle, 10, 1);
}

TEST(MeasureQueueTest, ClientsShareWhateverTheNumberOfTheirJobs) {
  MeasureQueue queue;
  const auto push = [&](const std::string& client, const std::string& job, int batch) {
    Chunk chunk = MakeChunk(job, batch, 8);
    chunk.client = client;
    queue.PushBack(std::move(chunk));
  };
  for (int job = 0; job < 200; ++job) {
    for (int i = 0; i < 4; ++i) push("many", absl::StrCat("m", job), i);
  }
  std::map<std::string, int> served;
  // The other one has two batches in flight, and submits when they are done.
  for (int i = 0; i < 60; ++i) {
    if (i % 8 == 0) {
      for (int k = 0; k < 4; ++k) push("one", "j1", i + k);
    }
    const auto chunk = Pop(queue);
    ++served[chunk->client];
    if (chunk->client == "many") ++served[chunk->job];
  }
  EXPECT_NEAR(served["one"], 30, 2);
  EXPECT_EQ(served["m0"], 1) << "the jobs of one client share, too";
}

TEST(MeasureQueueTest, AClientWithoutWorkHasNoClaim) {
  MeasureQueue queue;
  const auto push = [&](const std::string& client, int batch) {
    Chunk chunk = MakeChunk(client, batch);
    chunk.client = client;
    queue.PushBack(std::move(chunk));
  };
  for (int i = 0; i < 100; ++i) push("old", i);
  for (int i = 0; i < 50; ++i) Pop(queue);
  for (int i = 0; i < 100; ++i) push("young", i);
  int young = 0;
  for (int i = 0; i < 40; ++i) young += Pop(queue)->client == "young";
  EXPECT_NEAR(young, 20, 1);
}

TEST(MeasureQueueTest, AHigherPriorityGoesFirst) {
  MeasureQueue queue;
  queue.PushBack(MakeChunk("a", 0));
  queue.PushBack(MakeChunk("b", 0, 1, 5));
  queue.PushBack(MakeChunk("b", 1, 1, 5));
  queue.PushBack(MakeChunk("c", 0, 1, -1));
  EXPECT_EQ(Next(queue), "b/0");
  EXPECT_EQ(Next(queue), "b/1");
  EXPECT_EQ(Next(queue), "a/0");
  EXPECT_EQ(Next(queue), "c/0");
}

TEST(MeasureQueueTest, AWorkerGetsWhatItServes) {
  MeasureQueue queue;
  queue.PushBack(MakeChunk("wide", 0, 1, 9, 8));
  queue.PushBack(MakeChunk("wide", 1, 1, 9, 1));
  queue.PushBack(MakeChunk("narrow", 0));
  EXPECT_EQ(Next(queue), "wide/1") << "what a job's first chunk wants does not block the rest";
  EXPECT_EQ(Next(queue), "narrow/0");
  EXPECT_EQ(Next(queue), "");
  EXPECT_EQ(Next(queue, 8), "wide/0");
}

TEST(MeasureQueueTest, ARemovedJobIsGone) {
  MeasureQueue queue;
  queue.PushBack(MakeChunk("a", 0));
  queue.PushBack(MakeChunk("b", 0));
  queue.RemoveJob("a");
  queue.RemoveJob("no such job");
  EXPECT_EQ(Next(queue), "b/0");
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace alt::dispatch
