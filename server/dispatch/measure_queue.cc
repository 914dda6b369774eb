#include "server/dispatch/measure_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace alt::dispatch {

MeasureQueue::JobQueue& MeasureQueue::QueueOf(const Chunk& chunk) {
  const auto [it, added] =
      jobs_.try_emplace(chunk.job, JobQueue{.client = chunk.client, .given = job_level_});
  if (added)
    ++clients_.try_emplace(chunk.client, Client{.given = client_level_}).first->second.jobs;
  return it->second;
}

void MeasureQueue::PushBack(Chunk chunk) { QueueOf(chunk).chunks.push_back(std::move(chunk)); }

void MeasureQueue::PushFront(Chunk chunk) { QueueOf(chunk).chunks.push_front(std::move(chunk)); }

void MeasureQueue::RemoveJob(const std::string& job) {
  const auto it = jobs_.find(job);
  if (it == jobs_.end()) return;
  const auto client = clients_.find(it->second.client);
  if (--client->second.jobs == 0) clients_.erase(client);
  jobs_.erase(it);
}

std::optional<Chunk> MeasureQueue::Pop(absl::FunctionRef<bool(const Chunk&)> wanted) {
  auto best = jobs_.end();
  std::deque<Chunk>::iterator best_chunk;
  std::tuple<int, int64_t, int64_t> least;
  for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
    JobQueue& queue = it->second;
    const auto chunk = std::find_if(queue.chunks.begin(), queue.chunks.end(), wanted);
    if (chunk == queue.chunks.end()) continue;
    const std::tuple rank(-chunk->priority, clients_.at(queue.client).given, queue.given);
    if (best != jobs_.end() && rank >= least) continue;
    best = it;
    best_chunk = chunk;
    least = rank;
  }
  if (best == jobs_.end()) return std::nullopt;
  JobQueue& queue = best->second;
  Client& client = clients_.at(queue.client);
  Chunk chunk = std::move(*best_chunk);
  const auto size = static_cast<int64_t>(chunk.indices.size());
  client_level_ = std::max(client_level_, client.given);
  job_level_ = std::max(job_level_, queue.given);
  client.given += size;
  queue.given += size;
  queue.chunks.erase(best_chunk);
  if (queue.chunks.empty()) RemoveJob(chunk.job);
  return chunk;
}

}  // namespace alt::dispatch
