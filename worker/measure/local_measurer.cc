#include "worker/measure/local_measurer.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "worker/measure/batch_measurement.h"

namespace alt::worker {
namespace {

using measure::MeasureMode;
using measure::MeasureRequest;
using measure::MeasureResult;
using measure::Outcome;

// Workloads whose operands and reference are kept: a job alternates between few.
constexpr size_t kMostOperands = 4;
// References are naive loops: a large convolution takes seconds.
constexpr absl::Duration kReferenceTimeout = absl::Minutes(10);

// Finalists see other inputs than the search did.
uint64_t SeedOf(MeasureMode mode) { return mode == MeasureMode::kSearch ? 1 : 2; }

// Compiles a graph as naive loops and runs it in the sandbox.
absl::StatusOr<Cells> EvaluateInSandbox(const te::Graph& graph,
                                        const std::vector<const Cells*>& inputs,
                                        codegen::Codegen& codegen, const codegen::LinkOptions& link,
                                        SandboxedRunner& runner) {
  ALT_ASSIGN_OR_RETURN(ir::Module module, lower::LowerNaive(graph, "reference"));
  ALT_ASSIGN_OR_RETURN(const BuiltKernel built,
                       BuildModule({.module = std::move(module)}, codegen, link));
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  KernelImage image{.object_fd = built.object.get(),
                    .symbol = absl::StrCat(built.artifact.name, "_call"),
                    .params = {},
                    .workspace_bytes = built.artifact.workspace_bytes};
  const std::vector<ir::Buffer>& params = built.lowered.module.functions[0].params;
  for (size_t p = 0; p < params.size(); ++p) {
    const bool output = p == inputs.size();
    ALT_ASSIGN_OR_RETURN(
        auto buffer,
        GuardedBuffer::Create(params[p]->name, ir::NumElements(*params[p]), static_cast<int>(p)));
    if (!output) std::copy(inputs[p]->begin(), inputs[p]->end(), buffer->cells().begin());
    image.params.push_back({buffer.get(), output});
    buffers.push_back(std::move(buffer));
  }
  runner.SetKernels({image});
  if (const std::optional<Failure> failure = runner.Run(0, kReferenceTimeout)) {
    // No candidate's fault: it is tried elsewhere, and not remembered against it.
    if (failure->outcome == Outcome::kCancelled) return absl::CancelledError("cancelled");
    const auto code = failure->outcome == Outcome::kOomHost ? absl::StatusCode::kResourceExhausted
                                                            : absl::StatusCode::kUnavailable;
    return absl::Status(code, absl::StrCat("reference: ", measure::OutcomeName(failure->outcome),
                                           ": ", failure->message));
  }
  const absl::Span<const float> cells = buffers.back()->cells();
  return Cells(cells.begin(), cells.end());
}

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
  backend->runner->SetCancelled([cancelled] { return cancelled(); });
  const absl::Cleanup forget = [backend] { backend->runner->SetCancelled(nullptr); };
  ALT_ASSIGN_OR_RETURN(Operands * operands, OperandsOf(request, backend));
  BatchMeasurement batch(request,
                         {.builder = backend->builder.get(),
                          .runner = backend->runner.get(),
                          .operands = operands,
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
  const absl::StatusOr<te::Graph> graph = workload::MakeGraph(workload);
  if (!graph.ok()) return std::nullopt;  // which making the operands will say
  double bytes = 0;
  for (const te::Tensor& tensor : graph->tensors) {
    if (tensor.role == te::Role::kIntermediate) continue;
    bytes += sizeof(float) * static_cast<double>(ir::NumElements(*tensor.buffer));
  }
  // Each tensor as logical cells and in a layout, the output also as it should be.
  std::optional<Failure> failure = TooLarge(3 * bytes, options_.memory_bytes);
  if (!failure) return std::nullopt;
  MeasureResult result;
  result.outcome = failure->outcome;
  result.message = std::move(failure->message);
  return result;
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
    ALT_ASSIGN_OR_RETURN(const sandbox::PeakReply peak, backend.runner->MeasurePeak(false));
    backend.speed = {.gflops = peak.gflops, .l1_read_gbs = peak.l1_read_gbs};
  }
  return &backend;
}

absl::StatusOr<Operands*> LocalMeasurer::OperandsOf(const MeasureRequest& request,
                                                    Backend* backend) {
  const uint64_t seed = SeedOf(request.mode);
  const std::string key = absl::StrCat(workload::Print(request.workload), "#", seed);
  const auto found = std::find_if(operands_.begin(), operands_.end(),
                                  [&](const KeptOperands& kept) { return kept.key == key; });
  if (found != operands_.end()) {
    operands_.splice(operands_.begin(), operands_, found);
  } else {
    ALT_ASSIGN_OR_RETURN(
        std::unique_ptr<Operands> operands,
        Operands::Create(
            request.workload, seed,
            [this, backend](const te::Graph& graph, const std::vector<const Cells*>& inputs) {
              return EvaluateInSandbox(graph, inputs, *backend->codegen, options_.link,
                                       *backend->runner);
            }));
    operands_.push_front({key, std::move(operands)});
    if (operands_.size() > kMostOperands) operands_.pop_back();
  }
  for (KeptOperands& kept : operands_) {
    // Of the others, what is expensive: the reference.
    kept.operands->Trim(&kept == &operands_.front() ? options_.operand_bytes : 0);
  }
  return operands_.front().operands.get();
}

absl::StatusOr<measure::Peak> LocalMeasurer::MeasurePeak(int threads,
                                                         absl::FunctionRef<bool()> cancelled) {
  absl::MutexLock lock(&mutex_);
  ALT_ASSIGN_OR_RETURN(const DeviceLock::Hold hold,
                       lock_->Take(DeviceLock::Mode::kExclusive, cancelled));
  SandboxedRunner runner(&spawner_, {options_.runner_path, threads});
  runner.SetCancelled([cancelled] { return cancelled(); });
  ALT_ASSIGN_OR_RETURN(const sandbox::PeakReply peak, runner.MeasurePeak(true));
  return measure::Peak{.gflops_1t = peak.gflops_1t,
                       .gflops = peak.gflops,
                       .threads = threads,
                       .read_gbs = peak.read_gbs};
}

}  // namespace alt::worker
