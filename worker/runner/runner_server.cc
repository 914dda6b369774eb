#include "worker/runner/runner_server.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "common/runtime/cpu/cpu_list.h"
#include "common/runtime/cpu/read_bandwidth.h"
#include "common/runtime/cpu/steady_clock.h"
#include "worker/runner/crash_report.h"

namespace alt::runner {
namespace {

using sandbox::Command;
using sandbox::Reply;
using sandbox::ReplyStatus;
using sandbox::Request;

Reply Done() {
  Reply reply;
  memset(&reply, 0, sizeof(reply));
  reply.status = ReplyStatus::kDone;
  return reply;
}

Reply Refused(const Problem& problem) {
  Reply reply = Done();
  reply.status = problem.cause == Problem::Cause::kMemory   ? ReplyStatus::kOutOfMemory
                 : problem.cause == Problem::Cause::kKernel ? ReplyStatus::kBadKernel
                                                            : ReplyStatus::kRefused;
  strncpy(reply.message, problem.message.c_str(), sizeof(reply.message) - 1);
  return reply;
}
Reply Damaged() {
  Reply reply = Refused({"wrote out of bounds of its workspace"});
  reply.status = ReplyStatus::kDamage;
  return reply;
}
Reply DoneOr(const std::optional<Problem>& problem) { return problem ? Refused(*problem) : Done(); }

// A second line of defence: the worker's deadline comes first, unless the worker is gone or
// stopped.
void AllowCpuSeconds(int32_t seconds) {
  rusage usage;
  rlimit limit;
  if (seconds <= 0 || getrusage(RUSAGE_SELF, &usage) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) {
    return;
  }
  const int64_t microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  const int64_t used =
      usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (microseconds + 999999) / 1000000;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(used + seconds));
  setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace

int RunnerServer::Serve() {
  ReportCrashesTo(socket_, &memory_);
  while (true) {
    Request request;
    int fd = -1;
    const ssize_t got = sandbox::ReceiveFrame(socket_, &request, sizeof(request), &fd);
    base::UniqueFd received(fd);
    if (got == 0) return 0;  // the worker is done with us
    if (got != sizeof(request)) return 1;
    const Reply reply = Handle(request, std::move(received));
    if (!sandbox::SendFrame(socket_, &reply, sizeof(reply))) return 1;
  }
}

Reply RunnerServer::Handle(const Request& request, base::UniqueFd fd) {
  AllowCpuSeconds(request.cpu_seconds);
  if (request.command == Command::kHello) return Hello(request.hello, std::move(fd));
  if (pool_ == nullptr) return Refused({"no hello yet"});
  switch (request.command) {
    case Command::kAttach:
      return DoneOr(memory_.Attach(request.attach, fd.get()));
    case Command::kDetach:
      memory_.Detach(request.detach.buffer);
      return Done();
    case Command::kLoad:
      return Load(request.load, std::move(fd));
    case Command::kUnload:
      if (Find(request.kernel.kernel) != nullptr) kernels_[request.kernel.kernel].reset();
      return Done();
    case Command::kRun:
      return Run(request.kernel);
    case Command::kTime:
      return Time(request.time);
    case Command::kPeak:
      return Peak(request.peak);
    default:
      return Refused({"unknown command"});
  }
}

Reply RunnerServer::Hello(const sandbox::HelloRequest& request, base::UniqueFd fd) {
  if (request.version != sandbox::kProtocolVersion) {
    return Refused({"alt-runner and the worker are of different builds"});
  }
  if (request.threads < 1 || request.threads > sandbox::kMaxThreads)
    return Refused({"bad threads"});
  void* const board =
      mmap(nullptr, sizeof(sandbox::Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (board == MAP_FAILED) return Refused({"hello: no board"});
  board_ = static_cast<sandbox::Board*>(board);
  const std::vector<int> cpus(request.cpus, request.cpus + request.threads);
  const int available = static_cast<int>(runtime::AllowedCpus().size());
  runtime::PinThisThread(cpus[0]);
  runtime::PinnedPool::Options options;
  if (request.threads > available) options.spins = 0;
  pool_ = std::make_unique<runtime::PinnedPool>(cpus, options);
  if (pool_->threads() < request.threads) return Refused({"threads could not be started"});
  pool_->get()->parallel_for(
      pool_->get(),
      [](void*, int64_t, int64_t, int thread) {
        if (thread > 0) AddSignalStack();
      },
      nullptr, pool_->threads());
  timer_ = std::make_unique<KernelTimer>(pool_.get(), board_);
  return Done();
}

LoadedKernel* RunnerServer::Find(int32_t kernel) const {
  if (kernel < 0 || kernel >= sandbox::kMaxKernels) return nullptr;
  return kernels_[static_cast<size_t>(kernel)].get();
}

Reply RunnerServer::Load(const sandbox::LoadRequest& request, base::UniqueFd fd) {
  if (request.kernel < 0 || request.kernel >= sandbox::kMaxKernels) {
    return Refused({"load: no such place"});
  }
  auto& place = kernels_[static_cast<size_t>(request.kernel)];
  place.reset();
  Problem problem;
  // One thread: the kernel is spared the pool.
  alt_pool* const pool = pool_->threads() == 1 ? nullptr : pool_->get();
  place = LoadedKernel::Load(request, std::move(fd), memory_, pool, &problem);
  return place != nullptr ? Done() : Refused(problem);
}

Reply RunnerServer::Run(const sandbox::KernelRequest& request) {
  LoadedKernel* const kernel = Find(request.kernel);
  if (kernel == nullptr) return Refused({"run: no such kernel"});
  Reply reply = Done();
  memory_.CopyIn(kernel->buffers());
  kernel->PoisonWorkspace();
  board_->running = request.kernel;
  const int64_t switches = InvoluntarySwitches();
  const double start = runtime::NowNs();
  kernel->Call();
  reply.run_ns = runtime::NowNs() - start;
  reply.disturbed = InvoluntarySwitches() != switches;
  board_->running = -1;
  memory_.CopyOut(kernel->buffers());
  return kernel->WroteOutOfWorkspace() ? Damaged() : reply;
}

Reply RunnerServer::Time(const sandbox::TimeRequest& request) {
  if (request.num_kernels < 1 || request.num_kernels > sandbox::kMaxKernels) {
    return Refused({"time: bad number of kernels"});
  }
  std::vector<LoadedKernel*> kernels;
  for (int i = 0; i < request.num_kernels; ++i) {
    kernels.push_back(Find(request.kernels[i]));
    if (kernels.back() == nullptr) return Refused({"time: no such kernel"});
  }
  sandbox::StopReason reason;
  Reply reply = DoneOr(timer_->Time(request, kernels, &reason));
  for (const LoadedKernel* kernel : kernels) memory_.CopyOut(kernel->buffers());
  reply.stop = static_cast<int32_t>(reason);
  return reply;
}

void RunnerServer::MeasureMemory(const sandbox::PeakRequest& request, runtime::VectorKind kind,
                                 sandbox::PeakReply& peak) {
  int64_t smaller = 0, largest = 0;  // the level before, the last
  for (int i = 0; i < sandbox::kMaxCaches; ++i) {
    const int64_t cache = request.cache_bytes[i];
    if (cache <= 0) continue;
    const bool last = i + 1 == sandbox::kMaxCaches || request.cache_bytes[i + 1] <= 0;
    // Half of it, for others use it too; threads share what is not private.
    const int64_t each = last && i >= 2 ? cache / 2 / pool_->threads() : cache / 2;
    // What would fit into the level before tells nothing of this one.
    if (each > smaller) peak.cache_read_gbs[i] = runtime::MeasureReadGbs(*pool_, kind, each);
    smaller = cache;
    largest = std::max(largest, cache);
  }
  const int64_t memory = std::clamp<int64_t>(4 * largest, 64 << 20, 512 << 20) / pool_->threads();
  peak.read_gbs = runtime::MeasureReadGbs(*pool_, kind, memory, 2e7);
}

Reply RunnerServer::Peak(const sandbox::PeakRequest& request) {
  Reply reply = Done();
  const std::vector<int> cpus = {0};
  runtime::PinnedPool one(cpus);  // no workers: the calling thread, which is pinned
  runtime::FmaAnchor anchor_1t(&one);
  sandbox::PeakReply& peak = reply.peak;
  runtime::FmaAnchor& anchor = timer_->anchor();
  for (int i = 0; i < 100; ++i) {
    peak.gflops_1t = std::max(peak.gflops_1t, anchor_1t.Gflops());
    peak.gflops = std::max(peak.gflops, anchor.Gflops());
  }
  constexpr int64_t kInL1 = 16 << 10;
  const runtime::VectorKind kind = anchor.kind();
  peak.l1_read_gbs_1t = runtime::MeasureReadGbs(one, kind, kInL1, 1e5, 40);
  peak.l1_read_gbs = runtime::MeasureReadGbs(*pool_, kind, kInL1, 1e5, 40);
  if (request.memory) MeasureMemory(request, kind, peak);
  strncpy(peak.vectors, runtime::VectorKindName(kind), sizeof(peak.vectors) - 1);
  return reply;
}

}  // namespace alt::runner
