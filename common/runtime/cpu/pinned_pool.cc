#include "common/runtime/cpu/pinned_pool.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/runtime/cpu/cpu_list.h"

namespace alt::runtime {
namespace {

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// std::atomic::wait would do, but decides by itself how long to spin.
void FutexWait(std::atomic<uint32_t>& word, uint32_t old) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
}

void FutexWakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace

PinnedPool::PinnedPool(const std::vector<int>& cpus) : PinnedPool(cpus, Options{}) {}

PinnedPool::PinnedPool(const std::vector<int>& cpus, Options options)
    : handle_{.pool = {.threads = 1, .parallel_for = &ParallelFor}, .owner = this},
      options_(options) {
  for (size_t t = 1; t < cpus.size(); ++t) {
    auto worker = std::make_unique<Worker>();
    worker->pool = this;
    worker->thread = static_cast<int>(t);
    worker->cpu = cpus[t];
    if (pthread_create(&worker->handle, nullptr, &RunWorker, worker.get()) != 0) break;
    workers_.push_back(std::move(worker));
  }
  // Only now: workers read it when they run their first chunk, after epoch_ has moved.
  handle_.pool.threads = static_cast<int>(workers_.size()) + 1;
}

PinnedPool::~PinnedPool() {
  stop_ = true;
  epoch_.fetch_add(1);
  Wake(epoch_);
  for (const auto& worker : workers_) pthread_join(worker->handle, nullptr);
}

void PinnedPool::ParallelFor(alt_pool* pool, alt_loop_body body, void* context, int64_t n) {
  reinterpret_cast<Handle*>(pool)->owner->RunLoop(body, context, n);
}

void PinnedPool::RunLoop(alt_loop_body body, void* context, int64_t n) {
  if (n <= 0) return;
  if (n == 1 || workers_.empty()) {
    body(context, 0, n, 0);
    return;
  }
  body_ = body;
  context_ = context;
  n_ = n;
  pending_.store(static_cast<uint32_t>(workers_.size()), std::memory_order_relaxed);
  epoch_.fetch_add(1);
  Wake(epoch_);
  RunChunk(0);
  uint32_t pending = pending_.load(std::memory_order_acquire);
  while (pending != 0) pending = WaitWhile(pending_, pending);
}

void PinnedPool::RunChunk(int thread) const {
  const int64_t threads = handle_.pool.threads;
  const int64_t begin = n_ * thread / threads;
  const int64_t end = n_ * (thread + 1) / threads;
  if (begin < end) body_(context_, begin, end, thread);
}

void* PinnedPool::RunWorker(void* worker) {
  const auto* self = static_cast<Worker*>(worker);
  PinThisThread(self->cpu);
  self->pool->Work(self->thread);
  return nullptr;
}

void PinnedPool::Work(int thread) {
  // Threads start before the first loop, so none misses an epoch: a loop waits for all of them.
  uint32_t epoch = 0;
  while (true) {
    epoch = WaitWhile(epoch_, epoch);
    if (stop_) return;
    RunChunk(thread);
    if (pending_.fetch_sub(1) == 1) Wake(pending_);
  }
}

uint32_t PinnedPool::WaitWhile(std::atomic<uint32_t>& word, uint32_t old) {
  for (int i = 0; i < options_.spins; ++i) {
    const uint32_t now = word.load(std::memory_order_acquire);
    if (now != old) return now;
    Pause();
  }
  // Sequentially consistent against Wake: either it sees us in sleepers_, or the futex sees the
  // changed word and does not sleep.
  sleepers_.fetch_add(1);
  uint32_t now = word.load();
  while (now == old) {
    FutexWait(word, old);
    now = word.load();
  }
  sleepers_.fetch_sub(1);
  return now;
}

void PinnedPool::Wake(std::atomic<uint32_t>& word) {
  if (sleepers_.load() > 0) FutexWakeAll(word);
}

}  // namespace alt::runtime
