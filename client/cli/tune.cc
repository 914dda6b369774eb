#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

class TuneCommand : public Command {
 public:
  std::string name() const override { return "tune"; }
  std::string summary() const override {
    return "Search the best layouts and loops for a workload";
  }

  void Declare(CLI::App& app) override {
    arguments_.Declare(app, /*with_cache=*/true);
    app.add_option("--trials", spec_.trials, "candidates to measure")
        ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
        ->capture_default_str();
    app.add_option("--time-limit", time_limit_, "stop after this time: 90s, 10m, 1h30m");
    app.add_option("--patience", spec_.patience, "stop after so many trials without a better one")
        ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
    app.add_option("--policy", spec_.policy, "how to search: evolve or random; default: evolve");
    app.add_option("--seed", spec_.seed, "same seed, same results: same proposals")
        ->capture_default_str();
    app.add_flag("--loops-only", spec_.loops_only, "keep the layouts of the default schedule");
  }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(spec_.workload, arguments_.ReadWorkload());
    ALT_ASSIGN_OR_RETURN(spec_.fixed_layouts, arguments_.ReadFix(spec_.workload));
    ALT_ASSIGN_OR_RETURN(spec_.cache, arguments_.ReadCache());
    if (!time_limit_.empty()) {
      ALT_ASSIGN_OR_RETURN(spec_.time_limit, ReadDuration("--time-limit", time_limit_));
    }
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/true));
    ALT_ASSIGN_OR_RETURN(spec_.target,
                         arguments_.target.Resolve(*session, context, /*waits=*/true));
    ALT_ASSIGN_OR_RETURN(job::Job job, Submit(*session, spec_));
    Note(absl::StrCat("job ", job.id, ": ", workload::Print(spec_.workload), " for ",
                      target::PrintTarget(spec_.target), "\n"));
    ALT_ASSIGN_OR_RETURN(job, Follow(context, *session, job.id, OnInterrupt::kStop));
    PrintTuned(context, *session, job);
    return absl::OkStatus();
  }

 private:
  WorkloadArguments arguments_;
  job::TuneSpec spec_;
  std::string time_limit_;
};

}  // namespace

std::unique_ptr<Command> MakeTuneCommand() { return std::make_unique<TuneCommand>(); }

}  // namespace alt::cli
