// Arguments that several commands share, as text until Run reads them.
#ifndef CLIENT_CLI_ARGUMENTS_H_
#define CLIENT_CLI_ARGUMENTS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/session.h"
#include "common/job/job.h"

namespace CLI {
class App;
}

namespace alt::cli {

// --target and --threads.
struct TargetArguments {
  std::string target;
  int threads = 0;  // 0: not given

  void Declare(CLI::App& app);

  // With nothing given: this machine with all its cores; with --server the one kind of worker that
  // is registered. `waits`: without a worker, wait for one; else take the one target that the
  // database knows.
  absl::StatusOr<target::Target> Resolve(Session& session, Context& context, bool waits) const;
  // Without a server: this machine fills in what is not given.
  absl::StatusOr<target::Target> ResolveLocally() const;
};

// The registered workers; with `waits`, until there is one (says so, and ends with Ctrl-C).
absl::StatusOr<std::vector<job::WorkerStatus>> Workers(Session& session, Context& context,
                                                       bool waits);

// What records for a target have to be measured under to be exact here: this machine's facts where
// it is the one that measures.
std::optional<measure::Validators> FactsHere(const Session& session, const target::Target& target);

// " --threads=2": what names the target again where it is not what Resolve takes by itself.
std::string TargetOption(const Session& session, const target::Target& target);

// A workload, its target and what the caller has decided about it.
struct WorkloadArguments {
  std::string workload;
  std::string fix;
  std::string cache = "warm";
  TargetArguments target;

  // The workload is the first positional argument.
  void Declare(CLI::App& app, bool with_cache);

  absl::StatusOr<workload::Workload> ReadWorkload() const;
  // Of tensors of this workload: "x=plain,y=split(1,16) reorder(0,1,3,4,2)".
  absl::StatusOr<job::FixedLayouts> ReadFix(const workload::Workload& workload) const;
  absl::StatusOr<measure::CacheState> ReadCache() const;
};

// "90s", "10m", "1h30m", or a number of seconds.
absl::StatusOr<absl::Duration> ReadDuration(absl::string_view option, absl::string_view text);

// The file, which has to be of this workload when one is given.
absl::StatusOr<workload::CandidateFile> ReadCandidateFile(
    const std::string& path, const std::optional<workload::Workload>& workload);

}  // namespace alt::cli

#endif  // CLIENT_CLI_ARGUMENTS_H_
