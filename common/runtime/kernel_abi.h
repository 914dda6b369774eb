#ifndef COMMON_RUNTIME_KERNEL_ABI_H_
#define COMMON_RUNTIME_KERNEL_ABI_H_

/* The C interface between generated kernels and whoever calls them. Plain C, so that it can be
   written into exported headers as it is. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs iterations [begin, end) of a parallel loop on the thread numbered `thread`. */
typedef void (*alt_loop_body)(void* context, int64_t begin, int64_t end, int thread);

/* What a kernel needs of a thread pool; threads are numbered 0 <= thread < threads. NULL in place
   of a pool means: run everything on the calling thread as thread 0. */
typedef struct alt_pool {
  int threads;
  /* Runs body over [0, n), each iteration once, and returns when all are done. Iterations may be
     cut into any ranges. Never nested. */
  void (*parallel_for)(struct alt_pool* pool, alt_loop_body body, void* context, int64_t n);
} alt_pool;

/* A kernel with its parameters in an array, in the order of ir::Function::params, each 64-byte
   aligned. workspace is 64-byte aligned, of workspace_bytes * max(1, pool->threads) bytes; thread t
   uses the slice at t * workspace_bytes. */
typedef void (*alt_kernel)(void* const* params, void* workspace, alt_pool* pool);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_RUNTIME_KERNEL_ABI_H_ */
