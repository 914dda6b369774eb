#include "worker/measure/local_measurer.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "common/measure/preparation.h"
#include "worker/measure/batch_measurement.h"
#include "worker/measure/stage_evaluator.h"

namespace alt::worker {
namespace {

using measure::MeasureMode;
using measure::MeasureRequest;
using measure::MeasureResult;
using measure::Outcome;

// Workloads whose operands and reference are kept: a job alternates between few.
constexpr size_t kMostOperands = 4;

// Finalists see other inputs than the search did.
uint64_t SeedOf(MeasureMode mode) { return mode == MeasureMode::kSearch ? 1 : 2; }

}  // namespace

absl::StatusOr<std::unique_ptr<LocalMeasurer>> LocalMeasurer::Create(Options options) {
  ALT_ASSIGN_OR_RETURN(
      std::unique_ptr<DeviceLock> lock,
      DeviceLock::Create({.path = options.lock_path, .activity = options.activity}));
  return std::unique_ptr<LocalMeasurer>(new LocalMeasurer(std::move(options), std::move(lock)));
}

std::vector<MeasureResult> LocalMeasurer::Measure(const MeasureRequest& request,
                                                  absl::FunctionRef<bool()> cancelled) {
  absl::MutexLock lock(&mutex_);
  absl::StatusOr<std::vector<MeasureResult>> results = TryMeasure(request, cancelled);
  if (results.ok()) return *std::move(results);
  // A fault that is not the candidates': they may be good on another worker.
  if (!absl::IsCancelled(results.status()))
    ALT_LOG(ERROR) << "measure " << workload::Print(request.workload) << ": " << results.status();
  MeasureResult lost;
  lost.outcome = absl::IsCancelled(results.status()) ? Outcome::kCancelled : Outcome::kWorkerLost;
  lost.message = std::string(results.status().message());
  return std::vector<MeasureResult>(request.candidates.size(), lost);
}

absl::StatusOr<std::vector<MeasureResult>> LocalMeasurer::TryMeasure(
    const MeasureRequest& request, absl::FunctionRef<bool()> cancelled) {
  ALT_ASSIGN_OR_RETURN(Backend * backend, BackendOf(request.target, cancelled));
  if (std::optional<MeasureResult> result = RefuseSize(request.workload)) {
    return std::vector<MeasureResult>(request.candidates.size(), *result);
  }
  for (SandboxedRunner* runner : {backend->runner.get(), &reference_runner_}) {
    runner->SetCancelled([cancelled] { return cancelled(); });
  }
  const absl::Cleanup forget = [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    backend->runner->SetCancelled(nullptr);
    reference_runner_.SetCancelled(nullptr);
  };
  HostLoop loop(options_.build_threads, cancelled);
  target::Target all_threads = request.target;
  all_threads.threads = options_.build_threads;
  const StageEvaluator evaluator(all_threads, backend->codegen.get(), &options_.link,
                                 &reference_runner_, measure::PreparationLimit(request.workload));
  const Evaluator evaluate = [&](const te::Graph& graph, const std::vector<const Cells*>& inputs) {
    const Activity::Scope scope(options_.activity, "computing the reference");
    return evaluator(graph, inputs);
  };
  const auto operands = [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return OperandsOf(request, loop); };
  BatchMeasurement batch(request,
                         {.builder = backend->builder.get(),
                          .runner = backend->runner.get(),
                          .operands = operands,
                          .evaluate = evaluate,
                          .loop = &loop,
                          .lock = lock_.get(),
                          .speed = *backend->speed,
                          .caches = options_.caches,
                          .memory_bytes = options_.memory_bytes},
                         cancelled);
  batch.Build();
  batch.Prepare();
  if (request.mode == MeasureMode::kSearch) {
    batch.Search();
  } else {
    batch.Compare();
  }
  return batch.TakeResults();
}

std::optional<MeasureResult> LocalMeasurer::RefuseSize(const workload::Workload& workload) const {
  if (!workload::Validate(workload).ok())
    return std::nullopt;  // which making the operands will say
  const absl::Status status = measure::CheckMemory(workload, options_.memory_bytes);
  if (status.ok()) return std::nullopt;
  return MeasureResult{.outcome = Outcome::kOomHost, .message = std::string(status.message())};
}

absl::StatusOr<LocalMeasurer::Backend*> LocalMeasurer::BackendOf(
    const target::Target& target, absl::FunctionRef<bool()> cancelled) {
  if (target.kind != target::TargetKind::kCpu || target.threads < 1 ||
      target.threads > options_.max_threads) {
    return absl::InvalidArgumentError(absl::StrCat("target ", target::PrintTarget(target),
                                                   ": this worker measures CPUs with up to ",
                                                   options_.max_threads, " threads"));
  }
  Backend& backend = backends_[target::PrintTarget(target)];
  if (backend.codegen == nullptr) {
    ALT_ASSIGN_OR_RETURN(backend.codegen, options_.codegen(target));
    const CompilerFactory compiler = [this, codegen = backend.codegen] {
      std::unique_ptr<Compiler> out;
      if (options_.builder_path.empty()) {
        out = std::make_unique<InProcessCompiler>(codegen);
      } else {
        out = std::make_unique<ProcessCompiler>(&spawner_, options_.builder_path);
      }
      return out;
    };
    backend.builder = std::make_unique<Builder>(compiler, options_.link, options_.build_threads);
    backend.runner = std::make_unique<SandboxedRunner>(
        &spawner_, SandboxedRunner::Options{options_.runner_path, target.threads});
  }
  if (!backend.speed) {
    ALT_ASSIGN_OR_RETURN(const DeviceLock::Hold hold,
                         lock_->Take(DeviceLock::Mode::kExclusive, cancelled));
    ALT_ASSIGN_OR_RETURN(const sandbox::PeakReply peak, backend.runner->MeasurePeak());
    backend.speed = {.gflops = peak.gflops, .l1_read_gbs = peak.l1_read_gbs};
  }
  return &backend;
}

absl::StatusOr<Operands*> LocalMeasurer::OperandsOf(const MeasureRequest& request, HostLoop& loop) {
  const uint64_t seed = SeedOf(request.mode);
  const std::string key = absl::StrCat(workload::Print(request.workload), "#", seed);
  const auto found = std::find_if(operands_.begin(), operands_.end(),
                                  [&](const KeptOperands& kept) { return kept.key == key; });
  if (found != operands_.end()) {
    operands_.splice(operands_.begin(), operands_, found);
  } else {
    const Activity::Scope scope(options_.activity, "making the operands");
    for (KeptOperands& kept : operands_) kept.operands->Trim(0);  // there is to be room
    ALT_ASSIGN_OR_RETURN(std::unique_ptr<Operands> operands,
                         Operands::Create(request.workload, seed, loop));
    operands_.push_front({key, std::move(operands)});
  }
  // Of the others what is in layouts goes; the reference, which is expensive, stays as long as
  // there is room.
  Operands* const wanted = operands_.front().operands.get();
  wanted->Trim(options_.operand_bytes);
  int64_t bytes = 0;
  size_t others = 0;
  operands_.remove_if([&](const KeptOperands& kept) {
    if (kept.operands.get() == wanted) return false;
    kept.operands->Trim(0);
    bytes += kept.operands->bytes();
    return ++others >= kMostOperands || bytes > options_.operand_bytes;
  });
  return wanted;
}

absl::StatusOr<measure::Peak> LocalMeasurer::MeasurePeak(int threads,
                                                         absl::FunctionRef<bool()> cancelled) {
  absl::MutexLock lock(&mutex_);
  ALT_ASSIGN_OR_RETURN(const DeviceLock::Hold hold,
                       lock_->Take(DeviceLock::Mode::kExclusive, cancelled));
  SandboxedRunner runner(&spawner_, {options_.runner_path, threads});
  runner.SetCancelled([cancelled] { return cancelled(); });
  ALT_ASSIGN_OR_RETURN(const sandbox::PeakReply reply, runner.MeasurePeak(options_.caches));
  measure::Peak peak{.gflops_1t = reply.gflops_1t,
                     .gflops = reply.gflops,
                     .threads = threads,
                     .read_gbs = reply.read_gbs};
  const int64_t sizes[] = {options_.caches.l1, options_.caches.l2, options_.caches.l3};
  for (int i = 0; i < 3; ++i) {
    if (reply.cache_read_gbs[i] <= 0) continue;
    peak.caches.push_back({.level = i + 1, .bytes = sizes[i], .read_gbs = reply.cache_read_gbs[i]});
  }
  return peak;
}

}  // namespace alt::worker
