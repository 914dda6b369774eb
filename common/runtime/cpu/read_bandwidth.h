// How fast memory can be read, level by level: for `alt peak` and for floors below which no latency
// is believed.
#ifndef COMMON_RUNTIME_CPU_READ_BANDWIDTH_H_
#define COMMON_RUNTIME_CPU_READ_BANDWIDTH_H_

#include <cstdint>

#include "common/runtime/cpu/fma_anchor.h"
#include "common/runtime/cpu/pinned_pool.h"

namespace alt::runtime {

// Loads all of `bytes` (a multiple of 1024, 64-byte aligned) in order, once, with the widest
// vectors that `kind` allows.
void ReadAllOnce(VectorKind kind, const void* data, int64_t bytes);

// The same as `streams` neighbouring parts in turns, each with hints for what comes `ahead` bytes
// later (0: none): memory is faster with more lines under way than one stream has.
void ReadInStreams(VectorKind kind, const void* data, int64_t bytes, int streams, int64_t ahead);

// GB/s at which every thread of the pool reads `bytes_each` of its own again and again, all threads
// together: the best of `runs` runs of about `run_ns` each (many short ones find a quiet moment on
// a busy machine), which try several ways to read. 0 when there is no memory for it.
double MeasureReadGbs(PinnedPool& pool, VectorKind kind, int64_t bytes_each, double run_ns = 2e6,
                      int runs = 10);

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_CPU_READ_BANDWIDTH_H_
