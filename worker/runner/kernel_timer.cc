#include "worker/runner/kernel_timer.h"

#include <string.h>
#include <sys/resource.h>

#include <algorithm>

#include "common/runtime/cpu/read_bandwidth.h"
#include "common/runtime/cpu/steady_clock.h"

namespace alt::runner {
namespace {

using sandbox::Caches;
using sandbox::Sample;
using sandbox::StopReason;
using sandbox::TimingPolicy;

}  // namespace

int64_t InvoluntarySwitches() {
  rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

std::optional<Problem> KernelTimer::Time(const sandbox::TimeRequest& request,
                                         const std::vector<LoadedKernel*>& kernels,
                                         StopReason* reason) {
  std::vector<Subject> subjects;
  for (size_t i = 0; i < kernels.size(); ++i) subjects.push_back({kernels[i], request.kernels[i]});
  const std::optional<Problem> problem = Prepare(request.policy, subjects);
  *reason = StopReason::kCap;
  if (!problem) {
    if (subjects.size() == 1 && request.policy.rounds == 0) {
      *reason = TimeAlone(subjects[0], request.anchor, request.policy);
    } else {
      TimeInTurns(subjects, request.anchor, request.policy);
    }
  }
  board_->running = -1;
  for (Subject& subject : subjects) subject.kernel->StopRotating();
  return problem;
}

runtime::FmaAnchor& KernelTimer::anchor() {
  if (anchor_ == nullptr) anchor_ = std::make_unique<runtime::FmaAnchor>(pool_);
  return *anchor_;
}

std::optional<Problem> KernelTimer::Prepare(const TimingPolicy& policy,
                                            std::vector<Subject>& subjects) {
  if (policy.caches == Caches::kCold) {
    const auto bytes = static_cast<size_t>(std::max<int64_t>(policy.flush_bytes, 1 << 20));
    if (flush_.bytes() != bytes || flush_.data() == nullptr) {
      flush_ = runtime::HugeBuffer(bytes);
      if (flush_.data() == nullptr)
        return Problem{"no memory to flush the caches with", Problem::Cause::kMemory};
      // Pages that were never written to are all the same page of zeros, which flushes nothing.
      memset(flush_.data(), 1, bytes);
    }
  }
  for (Subject& subject : subjects) {
    if (policy.caches == Caches::kRotate && !subject.kernel->Rotate(policy.rotate_bytes)) {
      return Problem{"no memory for copies of the operands", Problem::Cause::kMemory};
    }
  }
  return std::nullopt;
}

StopReason KernelTimer::TimeAlone(Subject& subject, bool anchor, const TimingPolicy& policy) {
  const double before = anchor ? AnchorGflops() : 0;
  const StopReason reason = TimeUntilStopped(subject, policy);
  if (anchor) {
    const double around = (before + AnchorGflops()) / 2;
    for (int i = 0; i < board_->num_samples; ++i) board_->samples[i].anchor_gflops = around;
  }
  return reason;
}

double KernelTimer::AnchorGflops() {
  // The better of two: one alone may fall into somebody else's time.
  return std::max(anchor().Gflops(), anchor().Gflops());
}

StopReason KernelTimer::TimeUntilStopped(Subject& subject, const TimingPolicy& policy) {
  sandbox::StoppingRule rule(policy);
  const double start = runtime::NowNs();
  const auto add = [&](const Sample& sample) {
    const double elapsed = runtime::NowNs() - start + policy.first_ns;
    const StopReason reason = rule.Add(sample.ns, sample.disturbed, elapsed);
    return Record(sample) ? reason : StopReason::kCap;
  };
  // The first runs are single ones, so that a hopeless kernel is let go after one or two. Only for
  // kernels long enough for the clock to tell.
  constexpr double kTellableNs = 2e4;
  int single_runs = 2;
  if (policy.first_ns >= kTellableNs) {
    const StopReason reason = rule.Add(policy.first_ns, /*disturbed=*/false, policy.first_ns);
    if (reason != StopReason::kGoOn) return reason;
    --single_runs;
  }
  for (int i = 0; i < single_runs; ++i) {
    const Sample first = RunBatch(subject, policy);
    if (first.ns < kTellableNs) break;
    const StopReason reason = add(first);
    if (reason != StopReason::kGoOn) return reason;
  }
  if (rule.min_ns() < policy.min_batch_ns) ChooseRuns(subject, policy);
  StopReason reason = StopReason::kGoOn;
  while (reason == StopReason::kGoOn) reason = add(RunBatch(subject, policy));
  return reason;
}

std::vector<Sample> KernelTimer::RunRound(const std::vector<Subject*>& subjects, bool anchor,
                                          const TimingPolicy& policy) {
  const int64_t switches = InvoluntarySwitches();
  std::vector<Sample> samples;
  double before = anchor ? this->anchor().Gflops() : 0;
  for (const Subject* subject : subjects) {
    samples.push_back(RunBatch(*subject, policy));
    if (!anchor) continue;
    const double after = this->anchor().Gflops();
    samples.back().anchor_gflops = (before + after) / 2;
    before = after;
  }
  const bool disturbed = InvoluntarySwitches() != switches;
  for (Sample& sample : samples) sample.disturbed = disturbed;
  return samples;
}

void KernelTimer::TimeInTurns(std::vector<Subject>& subjects, bool anchor,
                              const TimingPolicy& policy) {
  std::vector<Subject*> left;
  for (Subject& subject : subjects) {
    const Sample first = RunRound({&subject}, anchor, policy)[0];  // warms up
    if (first.ns >= 2 * policy.cap_ns) {  // so long that nothing is to be warmed up: all it gets
      if (!Record(first)) return;
      continue;
    }
    if (first.ns < 2 * policy.min_batch_ns) ChooseRuns(subject, policy);
    left.push_back(&subject);
  }
  if (left.empty()) return;
  sandbox::ComparisonRule rule(policy, left.size());
  const double start = runtime::NowNs();
  while (true) {
    const std::vector<Sample> round = RunRound(left, anchor, policy);
    std::vector<double> times;
    for (const Sample& sample : round) {
      if (!Record(sample)) return;
      times.push_back(sample.ns);
    }
    if (rule.Add(times, round[0].disturbed, runtime::NowNs() - start)) return;
  }
}

void KernelTimer::ChooseRuns(Subject& subject, const TimingPolicy& policy) {
  subject.runs = 1;
  if (policy.caches == Caches::kCold) return;  // flushed before each run
  while (true) {
    const double run_ns = RunBatch(subject, policy).ns;
    const int64_t needed = sandbox::RunsForBatch(run_ns, policy.min_batch_ns);
    // Short batches overstate a run by the clock's own time: approach in steps.
    if (needed <= subject.runs * 2) {
      subject.runs = std::max(subject.runs, needed);
      return;
    }
    subject.runs = std::min(needed, subject.runs * 32);
  }
}

Sample KernelTimer::RunBatch(const Subject& subject, const TimingPolicy& policy) {
  if (policy.caches == Caches::kCold) FlushCaches();
  board_->running = subject.number;
  const int64_t switches = InvoluntarySwitches();
  const double start = runtime::NowNs();
  for (int64_t i = 0; i < subject.runs; ++i) subject.kernel->Call();
  const double elapsed = runtime::NowNs() - start;
  return {.kernel = subject.number,
          .disturbed = InvoluntarySwitches() != switches,
          .runs = subject.runs,
          .ns = elapsed / static_cast<double>(subject.runs),
          .anchor_gflops = 0};
}

bool KernelTimer::Record(const Sample& sample) {
  const int32_t count = board_->num_samples;
  if (count >= sandbox::kMaxSamples) return false;
  board_->samples[count] = sample;
  board_->num_samples = count + 1;
  return count + 1 < sandbox::kMaxSamples;
}

void KernelTimer::FlushCaches() {
  // Every thread reads all of it: private caches too.
  const auto body = [](void* context, int64_t begin, int64_t end, int) {
    const auto& buffer = *static_cast<runtime::HugeBuffer*>(context);
    for (int64_t i = begin; i < end; ++i) {
      runtime::ReadAllOnce(runtime::SupportedVectorKinds().back(), buffer.data(),
                           static_cast<int64_t>(buffer.bytes()));
    }
  };
  pool_->get()->parallel_for(pool_->get(), body, &flush_, pool_->threads());
}

}  // namespace alt::runner
