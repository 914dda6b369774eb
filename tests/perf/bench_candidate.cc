// Times candidate files in turns and prints what share of the machine's peak each one reaches:
//
//   bench_candidate [--threads=N] [--rounds=R] [--search] FILE...
//
// A file holds a workload and a candidate (workload::ParseCandidateFile). All files of one workload
// are compared in turns with one another and with the FMA loop. --search: as a trial is measured,
// one after the other, for the cost of a trial.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/target/host.h"
#include "tests/testing/paths.h"
#include "worker/measure/local_measurer.h"

namespace alt {
namespace {

struct Flags {
  int threads = 1;
  int rounds = 1;
  bool search = false;
  std::vector<std::string> files;
};

bool ParseFlags(int argc, char** argv, Flags& flags) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--threads=")) {
      if (!absl::SimpleAtoi(arg, &flags.threads)) return false;
    } else if (absl::ConsumePrefix(&arg, "--rounds=")) {
      if (!absl::SimpleAtoi(arg, &flags.rounds)) return false;
    } else if (arg == "--search") {
      flags.search = true;
    } else if (absl::StartsWith(arg, "-")) {
      return false;
    } else {
      flags.files.emplace_back(arg);
    }
  }
  return !flags.files.empty();
}

struct Group {
  measure::MeasureRequest request;
  std::vector<std::string> names;
};

absl::StatusOr<std::vector<Group>> ReadGroups(const Flags& flags) {
  std::map<std::string, Group> groups;
  for (const std::string& file : flags.files) {
    ALT_ASSIGN_OR_RETURN(const std::string text, base::ReadFile(file));
    ALT_ASSIGN_OR_RETURN(workload::CandidateFile parsed, workload::ParseCandidateFile(text),
                         base::Annotate(_, file));
    Group& group = groups[workload::Print(parsed.workload)];
    group.request.workload = parsed.workload;
    group.request.target = target::HostTarget(flags.threads);
    group.request.mode =
        flags.search ? measure::MeasureMode::kSearch : measure::MeasureMode::kCompare;
    group.request.candidates.push_back(std::move(parsed.candidate));
    group.names.push_back(file);
  }
  std::vector<Group> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

void PrintResult(const std::string& name, const workload::Workload& workload,
                 const measure::MeasureResult& result) {
  const measure::ProgramFacts& facts = result.facts;
  const measure::PhaseSeconds& s = result.seconds;
  printf("%-40s %s", name.c_str(), std::string(measure::OutcomeName(result.outcome)).c_str());
  if (result.latency) {
    const double gflops = workload::Flops(workload) / result.latency->median_ns;
    printf("  %10.4f ms (min %.4f, mad %.4f, n %d)  %7.1f GFLOP/s", result.latency->median_ns / 1e6,
           result.latency->min_ns / 1e6, result.latency->mad_ns / 1e6,
           static_cast<int>(result.latency->n), gflops);
    if (result.peak_gflops) {
      printf("  %.3f of peak %.1f", gflops / *result.peak_gflops, *result.peak_gflops);
    }
  } else {
    printf("  %s", result.message.c_str());
  }
  printf(
      "\n    code %d B, fmas %d, loads %d, spills %d (%d inner), workspace %d B;"
      " build %.1f ms, check %.1f, run %.1f, wait %.1f\n",
      static_cast<int>(facts.code_bytes), static_cast<int>(facts.vector_fmas),
      static_cast<int>(facts.vector_loads), static_cast<int>(facts.spills),
      static_cast<int>(facts.inner_loop_spills), static_cast<int>(facts.workspace_bytes),
      s.build * 1e3, s.check * 1e3, s.run * 1e3, s.wait * 1e3);
}

absl::Status Run(const Flags& flags) {
  worker::LocalMeasurer::Options options;
  const target::HostFacts host = target::DetectHostFacts();
  const char* path = getenv("PATH");
  ALT_ASSIGN_OR_RETURN(options.link.linker, codegen::FindLinker(path == nullptr ? "" : path));
  options.codegen = codegen::CreateLlvmCodegen;
  options.runner_path = testing::BinDir() + "/alt-runner";
  ALT_ASSIGN_OR_RETURN(options.lock_path, worker::DeviceLockPath("cpu0"));
  options.max_threads = flags.threads;
  options.build_threads = host.threads;
  options.caches = {.l1 = host.l1d_bytes, .l2 = host.l2_bytes, .l3 = host.l3_bytes};
  ALT_ASSIGN_OR_RETURN(auto measurer, worker::LocalMeasurer::Create(std::move(options)));
  ALT_ASSIGN_OR_RETURN(const std::vector<Group> groups, ReadGroups(flags));
  for (int round = 0; round < flags.rounds; ++round) {
    for (const Group& group : groups) {
      printf("%s\n", workload::Print(group.request.workload).c_str());
      const std::vector<measure::MeasureResult> results =
          measurer->Measure(group.request, [] { return false; });
      for (size_t i = 0; i < results.size(); ++i) {
        PrintResult(group.names[i], group.request.workload, results[i]);
      }
      fflush(stdout);
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace alt

int main(int argc, char** argv) {
  alt::Flags flags;
  if (!alt::ParseFlags(argc, argv, flags)) {
    fprintf(stderr, "usage: bench_candidate [--threads=N] [--rounds=R] [--search] FILE...\n");
    return 2;
  }
  const absl::Status status = alt::Run(flags);
  if (!status.ok()) fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
