#include "client/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "client/cli/cli_error.h"
#include "common/base/file.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/measure/measurer.h"
#include "common/measure/validators.h"
#include "common/target/host.h"
#include "common/workload/layout_text.h"

namespace alt::cli {
namespace {

constexpr char kTargetFix[] =
    "--target=cpu:mcpu=NAME,vec=BITS,threads=N, or leave it out for this machine";

// The same kind of machine with another number of threads is the same kind.
std::vector<target::Target> KindsOf(const std::vector<job::WorkerStatus>& workers) {
  std::vector<target::Target> kinds;
  for (const job::WorkerStatus& worker : workers) {
    const target::Target& t = worker.facts.target;
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const target::Target& k) {
      return k.kind == t.kind && k.mcpu == t.mcpu && k.vec_bits == t.vec_bits;
    });
    if (same == kinds.end()) {
      kinds.push_back(t);
    } else {
      same->threads = std::max(same->threads, t.threads);
    }
  }
  return kinds;
}

absl::Status ManyKinds(const std::vector<target::Target>& kinds, absl::string_view whose) {
  return UsageError("cannot choose a target",
                    absl::StrCat(whose, " of several kinds: ",
                                 absl::StrJoin(kinds, ", ",
                                               [](std::string* out, const target::Target& t) {
                                                 absl::StrAppend(out, target::PrintTarget(t));
                                               })),
                    "name one of them with --target");
}

// Read once: looking at the topology takes milliseconds.
const target::HostFacts& ThisHost() {
  static const auto* const facts = new target::HostFacts(target::DetectHostFacts());
  return *facts;
}

const target::Target& ThisMachine() {
  static const auto* const machine =
      new target::Target(target::HostTarget(ThisHost().usable_cores));
  return *machine;
}

// Why this machine does not measure for a target, and what to do.
absl::Status NotHere(const target::Target& target) {
  const std::string what = absl::StrCat("cannot measure ", target::PrintTarget(target));
  target::Target here = ThisMachine();
  const int usable = here.threads, cores = ThisHost().cores;
  here.threads = target.threads;
  if (target::Serves(here, target)) {  // but for the threads
    return UsageError(
        what,
        usable < cores
            ? absl::StrCat("this process may use ", usable, " of the machine's ", cores,
                           " cores: its CPU affinity (taskset) or control group allows no more")
            : absl::StrCat("this machine has ", cores, " cores"),
        absl::StrCat("--threads=", usable, usable < cores ? ", or run it without that limit" : "",
                     ", or name a --server with such a worker"));
  }
  return UsageError(what, absl::StrCat("this machine is ", target::PrintTarget(ThisMachine())),
                    "leave out --target and --threads, or name a --server with such a worker");
}

// What is probably meant: an operator with its attributes, however they are set apart.
std::string WorkloadAdvice(const std::string& text) {
  const size_t name = text.find_first_of(": ,");
  if (name != std::string::npos) {
    const std::vector<std::string> attributes =
        absl::StrSplit(text.substr(name + 1), absl::ByAnyChar(": ,"), absl::SkipEmpty());
    const std::string meant =
        absl::StrCat(text.substr(0, name), ":", absl::StrJoin(attributes, ","));
    if (meant != text && workload::Parse(meant).ok()) return absl::StrCat("write ", meant);
    for (const workload::OperatorHelp& op : workload::Operators()) {
      if (op.name == text.substr(0, name)) {
        return absl::StrCat("write ", op.name, ":", op.attributes);
      }
    }
  }
  return "write OPERATOR:NAME=VALUE,...; `alt ops` lists operators and their attributes";
}

}  // namespace

void TargetArguments::Declare(CLI::App& app) {
  app.add_option("--target", target, "what to tune for; default: this machine")
      ->type_name("TARGET");
  app.add_option("--threads", threads, "threads that run the kernel; default: all cores")
      ->check(CLI::Range(1, target::kMaxThreads));
}

absl::StatusOr<target::Target> TargetArguments::ResolveLocally() const {
  const target::Target host = ThisMachine();
  target::Target out = host;
  if (!target.empty()) {
    absl::StatusOr<target::Target> parsed = target::ParseTargetWithDefaults(target, host);
    if (!parsed.ok()) {
      return Explain(parsed.status(), absl::StrCat("cannot read --target=", base::Quoted(target)),
                     kTargetFix);
    }
    out = *std::move(parsed);
  }
  if (threads > 0) out.threads = threads;
  return out;
}

absl::StatusOr<std::vector<job::WorkerStatus>> Workers(Session& session, Context& context,
                                                       bool waits) {
  bool told = false;
  while (true) {
    ALT_ASSIGN_OR_RETURN(std::vector<job::WorkerStatus> workers, session.client().ListWorkers());
    if (!workers.empty() || !waits) return workers;
    // A private server's own is about to register.
    if (!told && !session.is_local()) {
      Note(absl::StrCat("waiting: no worker is registered yet (start one with alt-worker --server=",
                        context.options.server, " --device=cpu:0, or name a --target)\n"));
      told = true;
    }
    if (session.is_local()) ALT_RETURN_IF_ERROR(session.KeepWorker());
    if (context.interrupts.interrupted()) return absl::CancelledError("interrupted");
    absl::SleepFor(absl::Milliseconds(200));
  }
}

std::optional<measure::Validators> FactsHere(const Session& session, const target::Target& target) {
  if (!session.is_local() || !target::Serves(target::HostTarget(target.threads), target)) {
    return std::nullopt;
  }
  return measure::ValidatorsOf(ThisHost(), codegen::kCodeGeneratorNumber, codegen::LlvmVersion());
}

std::string TargetOption(const Session& session, const target::Target& target) {
  target::Target here = ThisMachine();
  if (session.is_local() && target == here) return "";
  here.threads = target.threads;
  if (session.is_local() && target == here) return absl::StrCat(" --threads=", target.threads);
  return absl::StrCat(" --target=", ShellWord(target::PrintTarget(target)));
}

absl::StatusOr<target::Target> TargetArguments::Resolve(Session& session, Context& context,
                                                        bool waits) const {
  if (!target.empty() || session.is_local()) {
    ALT_ASSIGN_OR_RETURN(const target::Target out, ResolveLocally());
    if (waits && session.only_this_machine() && !target::Serves(ThisMachine(), out)) {
      return NotHere(out);
    }
    return out;
  }
  ALT_ASSIGN_OR_RETURN(const std::vector<job::WorkerStatus> workers,
                       Workers(session, context, waits));
  std::vector<target::Target> kinds = KindsOf(workers);
  if (kinds.size() > 1) return ManyKinds(kinds, "workers are");
  if (kinds.empty()) {
    ALT_ASSIGN_OR_RETURN(const job::Stats stats, session.client().GetStats());
    kinds = stats.targets;
    if (kinds.size() > 1) return ManyKinds(kinds, "no worker is registered, and records are");
    if (kinds.empty()) {
      return UsageError("cannot choose a target", "the server has neither a worker nor a record",
                        kTargetFix);
    }
  }
  if (threads > 0) kinds[0].threads = threads;
  return kinds[0];
}

void WorkloadArguments::Declare(CLI::App& app, bool with_cache) {
  app.add_option("workload", workload, "such as conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1")
      ->required()
      ->type_name("");
  app.add_option("--fix", fix,
                 "layouts that your tensors have: x=plain,y=N H W C or y=split(1,16) ...")
      ->type_name("TENSOR=LAYOUT,...");
  if (with_cache) {
    app.add_option("--cache", cache, "caches before a timed run: warm, rotate or cold")
        ->type_name("STATE");
  }
  target.Declare(app);
}

absl::StatusOr<workload::Workload> WorkloadArguments::ReadWorkload() const {
  absl::StatusOr<workload::Workload> parsed = workload::Parse(workload);
  if (parsed.ok()) return parsed;
  const std::string what = absl::StrCat("cannot read the workload ", base::Quoted(workload));
  std::error_code ignored;
  if (absl::EndsWithIgnoreCase(workload, ".onnx")) {
    return UsageError(absl::StrCat("cannot tune the network ", workload),
                      "this version tunes single operators; networks are not read yet",
                      "name the operators one by one; `alt ops` lists what there is");
  }
  if (std::filesystem::is_regular_file(workload, ignored)) {
    return UsageError(what, "it is a file, and not an operator",
                      "a candidate file goes with --candidate or `alt show`");
  }
  return Explain(parsed.status(), what, WorkloadAdvice(workload));
}

absl::StatusOr<job::FixedLayouts> WorkloadArguments::ReadFix(
    const workload::Workload& workload) const {
  absl::StatusOr<job::FixedLayouts> layouts =
      job::ParseFixedLayouts(fix, [&](absl::string_view tensor, absl::string_view text) {
        return workload::ParseLayoutFor(workload, std::string(tensor), text);
      });
  if (layouts.ok()) return layouts;
  return Explain(layouts.status(), absl::StrCat("cannot read --fix=", base::Quoted(fix)),
                 "write TENSOR=LAYOUT,...; a layout is plain, blocks such as 'N C/16 H W 16c', or "
                 "primitives such as 'split(1,16) reorder(0,1,3,4,2)'");
}

absl::StatusOr<measure::CacheState> WorkloadArguments::ReadCache() const {
  if (const auto state = measure::ParseCacheState(cache)) return *state;
  const std::vector<std::string> known = {"warm", "rotate", "cold"};
  return UsageError(absl::StrCat("cannot read --cache=", base::Quoted(cache)),
                    absl::StrCat("no such state", base::DidYouMean(cache, known)),
                    "--cache=warm, rotate or cold");
}

absl::StatusOr<absl::Duration> ReadDuration(absl::string_view option, absl::string_view text) {
  absl::Duration out;
  if (const auto seconds = base::ParseDouble(text); seconds.ok()) {
    out = absl::Seconds(*seconds);
  } else if (!absl::ParseDuration(text, &out)) {
    return UsageError(absl::StrCat("cannot read ", option, "=", base::Quoted(text)),
                      "not a duration", absl::StrCat(option, "=90s, 10m or 1h30m"));
  }
  if (out <= absl::ZeroDuration() || out > absl::Hours(24 * 365)) {
    return UsageError(absl::StrCat("cannot use ", option, "=", base::Quoted(text)),
                      "it has to be more than nothing and at most a year");
  }
  return out;
}

absl::StatusOr<workload::CandidateFile> ReadCandidateFile(
    const std::string& path, const std::optional<workload::Workload>& workload) {
  const std::string what = absl::StrCat("cannot read the candidate file ", path);
  absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return UsageError(what, text.status().message());
  absl::StatusOr<workload::CandidateFile> file = workload::ParseCandidateFile(*text);
  if (!file.ok()) {
    return Explain(file.status(), what,
                   "the first line is the workload; then algorithm, layouts and the trace, as "
                   "`alt show RECORD --trace` prints them");
  }
  if (workload && file->workload != *workload) {
    return UsageError(absl::StrCat("cannot use the candidate file ", path),
                      absl::StrCat("it is for ", workload::Print(file->workload), ", not for ",
                                   workload::Print(*workload)));
  }
  return *std::move(file);
}

}  // namespace alt::cli
