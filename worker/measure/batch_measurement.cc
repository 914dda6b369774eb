#include "worker/measure/batch_measurement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "common/lower/count_products.h"
#include "common/measure/preparation.h"
#include "worker/measure/reference_check.h"

namespace alt::worker {
namespace {

using measure::MeasureResult;
using measure::Outcome;

absl::Duration Now() { return base::RealClock().SteadyNow(); }

// Adds the time from its making to its end to a number of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double* seconds) : seconds_(seconds), start_(Now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { *seconds_ += absl::ToDoubleSeconds(Now() - start_); }

 private:
  double* const seconds_;
  const absl::Duration start_;
};

// What the first run of a kernel may take longer than the others: memory that is not in the caches
// yet, at a rate that any machine reads it, and code.
double ColdNs(double bytes) { return 5e4 + bytes; }

using Timings = std::vector<std::variant<SandboxedRunner::Timing, Failure>>;

// Comparisons that others disturb are timed so often.
constexpr int kMostAttempts = 3;

// Of kernels timed in turns, those that nobody disturbed; what failed fails again.
int CountUndisturbed(const Timings& timings) {
  return static_cast<int>(std::count_if(timings.begin(), timings.end(), [](const auto& answer) {
    const auto* timing = std::get_if<SandboxedRunner::Timing>(&answer);
    return timing == nullptr || timing->samples.empty() || !IsDisturbed(timing->samples);
  }));
}

measure::ProgramFacts FactsOf(const runtime::Artifact& artifact) {
  return {artifact.facts, artifact.workspace_bytes};
}

}  // namespace

BatchMeasurement::BatchMeasurement(const measure::MeasureRequest& request, const Tools& tools,
                                   absl::FunctionRef<bool()> cancelled)
    : request_(request),
      tools_(tools),
      cancelled_(cancelled),
      results_(request.candidates.size()),
      work_(request.candidates.size()) {
  for (MeasureResult& result : results_) {
    result.outcome = Outcome::kCancelled;
    result.message = "cancelled";
  }
  // The limit is for what the kernel takes itself. In whole GiB: another limit is another process.
  const auto operand_gib = static_cast<int64_t>(measure::NeededBytes(request.workload)) >> 30;
  tools_.runner->SetMemoryLimit(request.limits.memory_bytes + (operand_gib << 30));
}

void BatchMeasurement::Fail(size_t i, Failure failure) {
  // Who wrote where it should not may have broken what the next one relies on.
  if (failure.outcome == Outcome::kWrongResult) tools_.runner->Restart();
  work_[i].done = true;
  results_[i].outcome = failure.outcome;
  results_[i].message = std::move(failure.message);
  results_[i].latency.reset();
  results_[i].censored = false;
}

std::vector<size_t> BatchMeasurement::Unfinished() const {
  std::vector<size_t> unfinished;
  for (size_t i = 0; i < work_.size(); ++i) {
    if (!work_[i].done) unfinished.push_back(i);
  }
  return unfinished;
}

bool BatchMeasurement::TakeLock(DeviceLock::Mode mode, std::optional<DeviceLock::Hold>& hold) {
  const absl::Duration start = Now();
  absl::StatusOr<DeviceLock::Hold> taken = tools_.lock->Take(mode, cancelled_);
  const std::vector<size_t> waiting = Unfinished();
  for (size_t i : waiting) {
    results_[i].seconds.wait +=
        absl::ToDoubleSeconds(Now() - start) / static_cast<double>(waiting.size());
  }
  if (taken.ok()) {
    hold = *std::move(taken);
  } else {
    FailAll(taken.status());
  }
  return hold.has_value();
}

void BatchMeasurement::Build() {
  std::optional<DeviceLock::Hold> hold;
  if (request_.candidates.empty() || !TakeLock(DeviceLock::Mode::kShared, hold)) return;
  const absl::Duration start = Now();
  std::vector<BuildResult> built = tools_.builder->Build(
      request_.workload, request_.target, request_.candidates, request_.limits.compile, cancelled_);
  // Several are built at once: each is charged its share of the time on the wall.
  const double wall = absl::ToDoubleSeconds(Now() - start);
  absl::Duration sum;
  for (const BuildResult& result : built) sum += result.time;
  for (size_t i = 0; i < built.size(); ++i) {
    if (sum > absl::ZeroDuration()) {
      results_[i].seconds.build = wall * absl::FDivDuration(built[i].time, sum);
    }
    if (auto* failure = std::get_if<Failure>(&built[i].kernel)) {
      Fail(i, std::move(*failure));
    } else {
      AcceptBuilt(i, std::get<BuiltKernel>(std::move(built[i].kernel)));
    }
  }
}

void BatchMeasurement::AcceptBuilt(size_t i, BuiltKernel built) {
  results_[i].facts = FactsOf(built.artifact);
  // A finalist has proven what it can do.
  const bool search = request_.mode == measure::MeasureMode::kSearch;
  if (std::optional<std::string> reason = HopelessCode(built.artifact.facts); search && reason) {
    return Fail(i, {Outcome::kRejected, *std::move(reason)});
  }
  work_[i].built = std::move(built);
}

void BatchMeasurement::Prepare() {
  std::optional<DeviceLock::Hold> hold;
  if (Unfinished().empty() || !TakeLock(DeviceLock::Mode::kShared, hold)) return;
  const absl::StatusOr<Operands*> operands = tools_.operands();
  if (!operands.ok()) return FailAll(operands.status());
  for (size_t i : Unfinished()) {
    if (cancelled_()) return;
    if (!work_[i].built) continue;
    Stopwatch watch(&results_[i].seconds.check);
    absl::StatusOr<std::optional<Failure>> failure = PrepareOne(i, **operands);
    // The next one would wait as long for the same fault.
    if (!failure.ok()) return FailAll(failure.status());
    if (*failure) Fail(i, **std::move(failure));
  }
}

void BatchMeasurement::FailAll(const absl::Status& fault) {
  if (absl::IsCancelled(fault)) return;  // which they are already
  for (size_t i : Unfinished()) Fail(i, {Outcome::kWorkerLost, std::string(fault.message())});
}

absl::StatusOr<std::optional<Failure>> BatchMeasurement::PrepareOne(size_t i, Operands& operands) {
  Work& work = work_[i];
  const lower::Kernel& lowered = work.built->lowered;
  work.image = {.object_fd = work.built->object.get(),
                .symbol = absl::StrCat(work.built->artifact.name, "_call"),
                .params = {},
                .workspace_bytes = work.built->artifact.workspace_bytes};
  double bytes = 0;
  for (const lower::Parameter& parameter : lowered.params) {
    bytes += 2.0 * sizeof(float) * static_cast<double>(ir::NumElements(*parameter.buffer));
  }
  if (std::optional<Failure> failure = TooLarge(bytes, tools_.memory_bytes)) return failure;
  for (size_t p = 0; p < lowered.params.size(); ++p) {
    const lower::Parameter& parameter = lowered.params[p];
    const int place = static_cast<int>(p);
    if (p + 1 < lowered.params.size()) {
      ALT_ASSIGN_OR_RETURN(const GuardedBuffer* const input,
                           operands.Input(parameter, request_.candidates[i].algorithm, place,
                                          tools_.evaluate, *tools_.loop),
                           base::Annotate(_, "operands"));
      work.image.params.push_back({input, false});
    } else {
      ALT_ASSIGN_OR_RETURN(work.output,
                           operands.OutputOf(parameter, place, tools_.evaluate, *tools_.loop),
                           base::Annotate(_, "operands"));
      work.image.params.push_back({work.output.buffer, true});
    }
  }
  work.implausible_below_ns =
      ImplausibleBelowNs(lower::CountProducts(lowered.module),
                         workload::CompulsoryBytes(request_.workload), tools_.speed);
  return std::nullopt;
}

absl::Duration BatchMeasurement::TimeLeft(size_t i) const {
  // Never nothing: who has used it up in checking is told so by timing.
  return std::max(request_.limits.run - work_[i].spent, absl::Milliseconds(1));
}

std::optional<Failure> BatchMeasurement::Check(size_t i, int place, SandboxedRunner::Call* call) {
  SandboxedRunner::Call own;
  if (call == nullptr) call = &own;
  const absl::Duration start = Now();
  work_[i].output.buffer->Poison();
  std::optional<Failure> failure = tools_.runner->Run(place, TimeLeft(i), call);
  if (!failure) failure = CheckOutput(i);
  work_[i].spent += Now() - start;
  results_[i].seconds.run += call->ns / 1e9;
  results_[i].seconds.check += absl::ToDoubleSeconds(Now() - start) - call->ns / 1e9;
  return failure;
}

std::optional<Failure> BatchMeasurement::CheckTwice(size_t i, int place) {
  std::optional<Failure> failure = Check(i, place);
  if (failure) return failure;
  // A kernel that adds to what it finds in its output is right the first time only.
  Stopwatch watch(&results_[i].seconds.check);
  failure = tools_.runner->Run(place, request_.limits.run);
  if (!failure) failure = CheckOutput(i);
  if (failure) failure->message = absl::StrCat("after two runs: ", failure->message);
  return failure;
}

std::optional<Failure> BatchMeasurement::CheckOutput(size_t i) const {
  const Operands::Output& output = work_[i].output;
  if (const std::optional<std::string> damage = output.buffer->TakeDamage()) {
    return Failure{Outcome::kWrongResult,
                   absl::StrCat("wrote out of bounds of ", output.buffer->name(), ": ", *damage)};
  }
  const std::optional<std::string> wrong =
      CompareResult(output.buffer->cells(), *output.want,
                    ToleranceOf(request_.candidates[i].algorithm), *tools_.loop);
  // Then not everything was looked at.
  if (!tools_.loop->status().ok()) return Failure{Outcome::kCancelled, "cancelled"};
  if (wrong) return Failure{Outcome::kWrongResult, *wrong};
  return std::nullopt;
}

void BatchMeasurement::Search() {
  std::optional<DeviceLock::Hold> hold;
  if (Unfinished().empty() || !TakeLock(DeviceLock::Mode::kExclusive, hold)) return;
  for (size_t i : Unfinished()) {
    if (cancelled_()) return;
    if (!work_[i].built) continue;
    tools_.runner->SetKernels({work_[i].image});
    SandboxedRunner::Call checked;
    if (std::optional<Failure> failure = Check(i, 0, &checked)) {
      Fail(i, *std::move(failure));
    } else {
      TimeAlone(i, checked);
    }
  }
}

void BatchMeasurement::TimeAlone(size_t i, const SandboxedRunner::Call& checked) {
  sandbox::TimingPolicy policy = SearchPolicy(request_.incumbent_ns);
  SetCaches(request_.cache, tools_.caches, policy);
  if (!checked.disturbed) {
    const double cold_ns = ColdNs(workload::CompulsoryBytes(request_.workload));
    policy.first_ns = std::max(0.0, checked.ns - cold_ns);
    const sandbox::StopReason reason =
        sandbox::StoppingRule(policy).Add(policy.first_ns, false, policy.first_ns);
    if (reason != sandbox::StopReason::kGoOn) {
      return Accept(i, {.samples = {{.runs = 1, .ns = checked.ns}},
                        .censored = reason == sandbox::StopReason::kCensored});
    }
  }
  std::variant<SandboxedRunner::Timing, Failure> timing;
  {
    Stopwatch watch(&results_[i].seconds.run);
    timing = tools_.runner->TimeAlone(0, policy, TimeLeft(i));
  }
  if (auto* failure = std::get_if<Failure>(&timing)) return Fail(i, std::move(*failure));
  // Once more: a kernel that adds to what it finds in its output was right the first time only.
  Stopwatch watch(&results_[i].seconds.check);
  if (std::optional<Failure> failure = CheckOutput(i)) {
    failure->message = absl::StrCat("after many runs: ", failure->message);
    return Fail(i, *std::move(failure));
  }
  Accept(i, std::get<SandboxedRunner::Timing>(timing));
}

void BatchMeasurement::Compare() {
  std::optional<DeviceLock::Hold> hold;
  if (Unfinished().empty() || !TakeLock(DeviceLock::Mode::kExclusive, hold)) return;
  std::vector<size_t> checked;
  for (size_t i : Unfinished()) {
    if (cancelled_()) return;
    if (!work_[i].built) continue;
    tools_.runner->SetKernels({work_[i].image});
    if (std::optional<Failure> failure = Check(i, 0)) {
      Fail(i, *std::move(failure));
    } else {
      checked.push_back(i);
    }
    if (checked.size() == sandbox::kMaxKernels) TimeInTurns(std::exchange(checked, {}));
  }
  if (!checked.empty() && !cancelled_()) TimeInTurns(checked);
}

void BatchMeasurement::TimeInTurns(const std::vector<size_t>& checked) {
  std::vector<KernelImage> images;
  std::vector<int> places;
  absl::Duration limit;
  for (size_t i : checked) {
    places.push_back(static_cast<int>(images.size()));
    images.push_back(work_[i].image);
    limit += TimeLeft(i);
  }
  tools_.runner->SetKernels(std::move(images));
  sandbox::TimingPolicy policy = ComparePolicy();
  SetCaches(request_.cache, tools_.caches, policy);
  const absl::Duration start = Now();
  Timings timings;
  int clean = -1;
  // A busy moment of the host may be over soon. What was timed when most was undisturbed counts.
  for (int attempt = 0; attempt < kMostAttempts && Now() - start < limit; ++attempt) {
    Timings again = tools_.runner->TimeInTurns(places, policy, limit - (Now() - start));
    const int clean_again = CountUndisturbed(again);
    if (clean_again > clean) {
      clean = clean_again;
      timings = std::move(again);
    }
    if (clean == static_cast<int>(checked.size()) || cancelled_()) break;
  }
  const double seconds = absl::ToDoubleSeconds(Now() - start);
  for (size_t k = 0; k < checked.size(); ++k) {
    const size_t i = checked[k];
    results_[i].seconds.run += seconds / static_cast<double>(checked.size());
    if (const auto* failure = std::get_if<Failure>(&timings[k])) {
      Fail(i, *failure);
    } else if (std::optional<Failure> wrong = CheckTwice(i, static_cast<int>(k))) {
      Fail(i, *std::move(wrong));
    } else {
      Accept(i, std::get<SandboxedRunner::Timing>(timings[k]));
    }
  }
}

void BatchMeasurement::Accept(size_t i, const SandboxedRunner::Timing& timing) {
  if (timing.samples.empty()) return Fail(i, {Outcome::kCrashed, "the runner returned no samples"});
  const measure::Latency latency = Summarize(timing.samples);
  if (latency.min_ns < work_[i].implausible_below_ns) {
    return Fail(i, {Outcome::kImplausible,
                    absl::StrCat(latency.min_ns, " ns, though this machine needs at least ",
                                 work_[i].implausible_below_ns, " ns")});
  }
  work_[i].done = true;
  results_[i].outcome = Outcome::kOk;
  results_[i].message.clear();
  results_[i].latency = latency;
  results_[i].censored = timing.censored;
  results_[i].disturbed = IsDisturbed(timing.samples);
  results_[i].peak_gflops = PeakNextTo(timing.samples);
}

}  // namespace alt::worker
