// Tunes workloads in one process: the search against this machine's measurer, without server,
// database or network. For whoever works on the search:
//
//   tune_local [--trials=N] [--policy=P] [--seed=S] [--threads=N] [--verbose] WORKLOAD...

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/target/host.h"
#include "server/search/tuner.h"
#include "tests/testing/paths.h"
#include "worker/measure/local_measurer.h"

namespace alt {
namespace {

struct Flags {
  int64_t trials = 128;
  std::string policy = "evolve";
  uint64_t seed = 1;
  int threads = 1;
  bool verbose = false;
  std::vector<std::string> workloads;
};

bool ParseFlags(int argc, char** argv, Flags& flags) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--trials=")) {
      if (!absl::SimpleAtoi(arg, &flags.trials)) return false;
    } else if (absl::ConsumePrefix(&arg, "--seed=")) {
      if (!absl::SimpleAtoi(arg, &flags.seed)) return false;
    } else if (absl::ConsumePrefix(&arg, "--threads=")) {
      if (!absl::SimpleAtoi(arg, &flags.threads)) return false;
    } else if (absl::ConsumePrefix(&arg, "--policy=")) {
      flags.policy = std::string(arg);
    } else if (arg == "--verbose") {
      flags.verbose = true;
    } else {
      flags.workloads.emplace_back(arg);
    }
  }
  return !flags.workloads.empty();
}

absl::StatusOr<std::unique_ptr<worker::LocalMeasurer>> MakeMeasurer(int threads) {
  worker::LocalMeasurer::Options options;
  const target::HostFacts host = target::DetectHostFacts();
  const char* path = getenv("PATH");
  ALT_ASSIGN_OR_RETURN(options.link.linker, codegen::FindLinker(path == nullptr ? "" : path));
  options.codegen = codegen::CreateLlvmCodegen;
  options.runner_path = testing::BinDir() + "/alt-runner";
  ALT_ASSIGN_OR_RETURN(options.lock_path, worker::DeviceLockPath("cpu0"));
  options.max_threads = threads;
  options.build_threads = host.threads;
  options.caches = {.l1 = host.l1d_bytes, .l2 = host.l2_bytes, .l3 = host.l3_bytes};
  return worker::LocalMeasurer::Create(std::move(options));
}

struct Totals {
  std::map<std::string, int> outcomes;
  measure::PhaseSeconds seconds;
  double propose = 0;
};

void Count(const search::Batch& batch, const std::vector<measure::MeasureResult>& results,
           double flops, bool verbose, Totals& totals) {
  for (size_t i = 0; i < results.size(); ++i) {
    const measure::MeasureResult& r = results[i];
    ++totals.outcomes[std::string(measure::OutcomeName(r.outcome))];
    totals.seconds.build += r.seconds.build;
    totals.seconds.check += r.seconds.check;
    totals.seconds.run += r.seconds.run;
    totals.seconds.wait += r.seconds.wait;
    if (!verbose) continue;
    printf("batch %d/%d %s %.4f ms %.1f GFLOP/s%s build %.0f check %.0f run %.0f ms %s\n",
           static_cast<int>(batch.number), static_cast<int>(i),
           std::string(measure::OutcomeName(r.outcome)).c_str(),
           r.latency ? r.latency->median_ns / 1e6 : 0, r.latency ? flops / r.latency->median_ns : 0,
           r.censored ? " censored" : "", r.seconds.build * 1e3, r.seconds.check * 1e3,
           r.seconds.run * 1e3, r.message.c_str());
    if (r.outcome != measure::Outcome::kOk) {
      printf("%s\n", workload::Print(batch.candidates[i]).c_str());
    }
  }
}

absl::Status Tune(const Flags& flags, const std::string& text, worker::LocalMeasurer& measurer) {
  search::TuningTask task;
  ALT_ASSIGN_OR_RETURN(task.workload, workload::Parse(text));
  task.target = target::HostTarget(flags.threads);
  task.policy = flags.policy;
  task.trials = flags.trials;
  task.seed = flags.seed;
  const double flops = workload::Flops(task.workload);
  const absl::Time start = absl::Now();
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<search::Tuner> tuner, search::Tuner::Create(task));
  Totals totals;
  std::deque<search::Batch> batches;
  while (!tuner->done()) {
    const absl::Time before = absl::Now();
    while (auto batch = tuner->Next()) batches.push_back(*std::move(batch));
    totals.propose += absl::ToDoubleSeconds(absl::Now() - before);
    const search::Batch batch = std::move(batches.front());
    batches.pop_front();
    measure::MeasureRequest request;
    request.workload = task.workload;
    request.target = task.target;
    request.candidates = batch.candidates;
    request.mode = batch.mode;
    request.incumbent_ns = batch.incumbent_ns;
    const auto results = measurer.Measure(request, [] { return false; });
    Count(batch, results, flops, flags.verbose, totals);
    ALT_RETURN_IF_ERROR(tuner->Observe(batch.number, results));
  }
  ALT_ASSIGN_OR_RETURN(search::TuningSummary summary, tuner->Summary());
  const double gflops = flops / summary.best_latency.median_ns;
  printf(
      "%s\n  best %.4f ms, %.1f GFLOP/s, %.3f of peak; default %.4f ms; %d trials in %.1f s:"
      " propose %.1f build %.1f check %.1f run %.1f wait %.1f\n",
      text.c_str(), summary.best_latency.median_ns / 1e6, gflops,
      gflops / summary.best_peak_gflops.value_or(1e9),
      summary.default_latency.value_or(measure::Latency()).median_ns / 1e6,
      static_cast<int>(summary.trials), absl::ToDoubleSeconds(absl::Now() - start), totals.propose,
      totals.seconds.build, totals.seconds.check, totals.seconds.run, totals.seconds.wait);
  for (const auto& [outcome, count] : totals.outcomes) printf("  %s %d\n", outcome.c_str(), count);
  printf("%s\n", workload::Print(summary.best).c_str());
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Flags flags;
  if (!ParseFlags(argc, argv, flags)) {
    fprintf(stderr,
            "usage: tune_local [--trials=N] [--policy=P] [--seed=S] [--threads=N] "
            "[--verbose] WORKLOAD...\n");
    return 2;
  }
  auto measurer = MakeMeasurer(flags.threads);
  absl::Status status = measurer.status();
  for (size_t i = 0; status.ok() && i < flags.workloads.size(); ++i) {
    status = Tune(flags, flags.workloads[i], **measurer);
    fflush(stdout);
  }
  if (status.ok()) return 0;
  fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace alt

int main(int argc, char** argv) { return alt::Main(argc, argv); }
