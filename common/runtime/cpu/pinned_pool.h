// The thread pool that kernels get (alt_pool of kernel_abi.h). Free of abseil, so that alt-runner
// starts in a millisecond.
#ifndef COMMON_RUNTIME_CPU_PINNED_POOL_H_
#define COMMON_RUNTIME_CPU_PINNED_POOL_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/runtime/kernel_abi.h"

namespace alt::runtime {

// Thread 0 is whoever calls parallel_for, threads 1.. are workers pinned to one CPU each. Between
// loops workers spin for about 0.1 ms, then sleep: loops that follow one another closely start
// within a microsecond, and an idle pool costs nothing. Thread t always gets iterations
// [n*t/threads, n*(t+1)/threads): same input, same work for each thread, and its cache stays warm.
//
//   PinnedPool pool(ChooseCpus(AllowedCpus(), 4));
//   kernel(params, workspace, pool.get());
//
// One parallel_for at a time; a body must not call it.
class PinnedPool {
 public:
  struct Options {
    // How often a waiting thread looks before it sleeps. 0 when there are more threads than CPUs:
    // a spinning thread would keep the one it waits for from running.
    int spins = 4000;
  };

  // One thread for each entry of `cpus`, pinned to that CPU; the first is for the caller, who is
  // not pinned here (PinThisThread). threads() is smaller than asked when the system refuses more.
  explicit PinnedPool(const std::vector<int>& cpus);
  PinnedPool(const std::vector<int>& cpus, Options options);
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;
  ~PinnedPool();

  int threads() const { return handle_.pool.threads; }
  alt_pool* get() { return &handle_.pool; }

 private:
  // What kernels see, and the way back from it.
  struct Handle {
    alt_pool pool;
    PinnedPool* owner;
  };
  struct Worker {
    PinnedPool* pool;
    int thread;
    int cpu;
    pthread_t handle;
  };

  static void ParallelFor(alt_pool* pool, alt_loop_body body, void* context, int64_t n);
  static void* RunWorker(void* worker);
  void RunLoop(alt_loop_body body, void* context, int64_t n);
  void RunChunk(int thread) const;
  void Work(int thread);
  // Returns once `word` is no longer `old`: spins, then sleeps.
  uint32_t WaitWhile(std::atomic<uint32_t>& word, uint32_t old);
  // After a change of `word`: wakes those that sleep on it.
  void Wake(std::atomic<uint32_t>& word);

  Handle handle_;
  Options options_;
  std::vector<std::unique_ptr<Worker>> workers_;

  // The loop at hand: written before epoch_ moves on, read after.
  alt_loop_body body_ = nullptr;
  void* context_ = nullptr;
  int64_t n_ = 0;
  bool stop_ = false;

  // On lines of their own: workers spin on epoch_ while others count down pending_.
  alignas(64) std::atomic<uint32_t> epoch_{0};    // one more for each loop
  alignas(64) std::atomic<uint32_t> pending_{0};  // workers that are not done with it
  alignas(64) std::atomic<int> sleepers_{0};
};

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_CPU_PINNED_POOL_H_
