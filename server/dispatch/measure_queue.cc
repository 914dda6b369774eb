#include "server/dispatch/measure_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace alt::dispatch {

MeasureQueue::JobQueue& MeasureQueue::QueueOf(const std::string& job) {
  return jobs_.try_emplace(job, JobQueue{.given = level_}).first->second;
}

void MeasureQueue::PushBack(Chunk chunk) { QueueOf(chunk.job).chunks.push_back(std::move(chunk)); }

void MeasureQueue::PushFront(Chunk chunk) {
  QueueOf(chunk.job).chunks.push_front(std::move(chunk));
}

std::optional<Chunk> MeasureQueue::Pop(absl::FunctionRef<bool(const Chunk&)> wanted) {
  auto best = jobs_.end();
  std::deque<Chunk>::iterator best_chunk;
  for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
    JobQueue& queue = it->second;
    const auto chunk = std::find_if(queue.chunks.begin(), queue.chunks.end(), wanted);
    if (chunk == queue.chunks.end()) continue;
    if (best != jobs_.end() && std::tuple(-chunk->priority, queue.given) >=
                                   std::tuple(-best_chunk->priority, best->second.given)) {
      continue;
    }
    best = it;
    best_chunk = chunk;
  }
  if (best == jobs_.end()) return std::nullopt;
  JobQueue& queue = best->second;
  Chunk chunk = std::move(*best_chunk);
  level_ = std::max(level_, queue.given);
  queue.given += static_cast<int64_t>(chunk.indices.size());
  queue.chunks.erase(best_chunk);
  if (queue.chunks.empty()) jobs_.erase(best);
  return chunk;
}

}  // namespace alt::dispatch
