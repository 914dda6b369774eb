// A pool without threads, for tests: cuts the iterations into uneven ranges and hands them to
// numbered threads in a wild order, all on the caller's thread.
#ifndef TESTS_COMMON_CODEGEN_LLVM_SERIAL_POOL_H_
#define TESTS_COMMON_CODEGEN_LLVM_SERIAL_POOL_H_

#include <cstdint>

#include "common/runtime/kernel_abi.h"

namespace alt::testing {

class SerialPool {
 public:
  explicit SerialPool(int threads) : pool_{threads, ParallelFor} {}
  alt_pool* get() { return &pool_; }

 private:
  static void ParallelFor(alt_pool* pool, alt_loop_body body, void* context, int64_t n) {
    int thread = pool->threads - 1;
    int64_t end = n;
    for (int64_t size = 1; end > 0; size = size % 3 + 1) {
      const int64_t begin = end > size ? end - size : 0;
      body(context, begin, end, thread);
      thread = (thread + 1) % pool->threads;
      end = begin;
    }
  }

  alt_pool pool_;
};

}  // namespace alt::testing

#endif  // TESTS_COMMON_CODEGEN_LLVM_SERIAL_POOL_H_
