// What the worker and alt-runner say to one another, over a SOCK_SEQPACKET socket: one Request, one
// Reply, in turns. Descriptors ride along (SCM_RIGHTS). Both programs come from one build, so these
// are plain structs; kHello compares versions in case they do not. Free of abseil, as all that
// alt-runner links.
//
//   session ::= Hello  { Attach | Detach | Load | Unload | Run | Time | Peak }
//
//   Hello   + board           the CPUs to run on; memory that both share (Board)
//   Attach  + memory          a buffer: operands of kernels, with their guard bands
//   Load    + shared object   a kernel and the buffers that are its parameters
//   Run                       calls a kernel once; its output is then in the attached memory
//   Time                      calls kernels, one alone or several in turns; samples on the board
//   Peak                      speed of FMA units and memory
//
// A kernel that crashes takes the runner with it: the signal handler sends a last Reply (kFault).
#ifndef WORKER_SANDBOX_FRAME_H_
#define WORKER_SANDBOX_FRAME_H_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace alt::sandbox {

inline constexpr uint32_t kProtocolVersion = 4;
inline constexpr int kChildSocket = 3;  // descriptor in the child: alt-runner, alt-builder
inline constexpr int kMaxThreads = 512;
inline constexpr int kMaxParams = 32;
inline constexpr int kMaxKernels = 64;
inline constexpr int kMaxSamples = 1 << 14;

enum class Command : uint32_t { kHello, kAttach, kDetach, kLoad, kUnload, kRun, kTime, kPeak };

struct HelloRequest {
  uint32_t version;
  int32_t threads;
  int32_t cpus[kMaxThreads];
};

struct AttachRequest {
  int64_t buffer;  // a number chosen by the worker, never used again
  int64_t bytes;   // all of the memory, guard bands included
  bool writable;   // a store to a buffer that is not is a crash
};

struct DetachRequest {
  int64_t buffer;
};

// A parameter is `bytes` of a buffer, from `offset` on.
struct KernelParam {
  int64_t buffer;
  int64_t offset;
  int64_t bytes;
};

struct LoadRequest {
  int32_t kernel;  // 0 <= kernel < kMaxKernels; what was loaded there before goes
  int32_t num_params;
  KernelParam params[kMaxParams];
  int64_t workspace_bytes;  // for each thread
  char symbol[256];         // of an alt_kernel (kernel_abi.h)
};

struct KernelRequest {  // Unload, Run
  int32_t kernel;
};

// Kept in step with measure::CacheState.
enum class Caches : int32_t { kWarm, kRotate, kCold };

// How long to time a kernel. Times in nanoseconds.
struct TimingPolicy {
  double min_batch_ns;  // a batch is as many runs as fill this
  double cap_ns;        // for each kernel; the batch that crosses it is the last
  // Alone: done when the smallest batch mean has not sunk by more than stable_share for so many
  // undisturbed batches.
  int32_t stable_batches;
  double stable_share;
  double incumbent_ns;  // alone: stop early what is clearly slower; 0: never
  double first_ns;      // alone: an undisturbed run that was timed already, cold; 0: none
  // In turns (ComparisonRule): undisturbed rounds, at least and at most.
  int32_t rounds;
  int32_t most_rounds;
  Caches caches;
  int64_t rotate_bytes;  // kRotate: copies of the operands fill at least this
  int64_t flush_bytes;   // kCold: read between runs
};

struct TimeRequest {
  int32_t num_kernels;  // 1: alone; more: ABAB
  int32_t kernels[kMaxKernels];
  bool anchor;  // time the FMA loop: in turns, before the first and after each batch; alone, before
                // the first and after the last
  TimingPolicy policy;
};

inline constexpr int kMaxCaches = 4;

struct PeakRequest {
  bool memory;  // caches and memory too, which takes longer
  // Sizes of the caches from the first level on; 0 where there is none or it is not known. Those
  // of the last level serve all threads together.
  int64_t cache_bytes[kMaxCaches];
};

struct Request {
  Command command;
  int32_t cpu_seconds;  // the runner ends itself (SIGXCPU) after so much more time on the CPUs
  union {
    HelloRequest hello;
    AttachRequest attach;
    DetachRequest detach;
    LoadRequest load;
    KernelRequest kernel;
    TimeRequest time;
    PeakRequest peak;
  };
};

enum class ReplyStatus : int32_t {
  kDone,
  kRefused,      // it could not be done, for reasons of the host or of ours; `message` says why
  kBadKernel,    // the loader does not take the shared object; `message` says why
  kOutOfMemory,  // within the limits of the runner
  kFault,        // the kernel crashed; the runner ends
  kDamage,       // the kernel wrote where it should not; `message` says where
};

struct FaultReply {
  int32_t signal;
  bool stack_overflow;
  bool out_of_memory;  // the address space was used up at that moment
  int64_t address;
  int64_t buffer;  // the attached buffer that holds the address, -1 for none
  int64_t offset;  // in that buffer
};

struct PeakReply {
  double gflops_1t, gflops;            // of one thread alone; of all together
  double l1_read_gbs_1t, l1_read_gbs;  // the same for reads from the first cache
  double read_gbs;                     // from memory, all threads
  double cache_read_gbs[kMaxCaches];   // the same from each cache; 0: not measured
  char vectors[16];                    // what the FMA loop used: "avx512"
};

struct Reply {
  ReplyStatus status;
  double run_ns;      // Run: how long the call took
  bool disturbed;     // Run: another process had one of our CPUs meanwhile
  int32_t stop;       // Time, alone: a StopReason
  FaultReply fault;   // kFault
  PeakReply peak;     // Peak
  char message[256];  // not kDone: why, for people
};

// One batch of runs.
struct Sample {
  int32_t kernel;
  bool disturbed;  // another process had one of our CPUs meanwhile; in turns: during its round
  int64_t runs;
  double ns;             // mean of a run
  double anchor_gflops;  // mean of the FMA loops before and after it; 0: not asked for
};

// Shared memory that outlives the runner: what it was doing when it died.
struct Board {
  std::atomic<int32_t> running;  // the kernel being called, -1 for none
  std::atomic<int32_t> num_samples;
  Sample samples[kMaxSamples];
};

// One message, whole. False on any error; errno tells.
bool SendFrame(int socket, const void* data, size_t bytes, const int* fds = nullptr,
               size_t num_fds = 0);
// The length, 0 at the end of the stream, -1 on an error. At most one descriptor comes along: *fd,
// close-on-exec, or -1.
ssize_t ReceiveFrame(int socket, void* data, size_t capacity, int* fd);

}  // namespace alt::sandbox

#endif  // WORKER_SANDBOX_FRAME_H_
