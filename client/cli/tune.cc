#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/answer.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "client/cli/output.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

class TuneCommand : public Command {
 public:
  std::string name() const override { return "tune"; }
  std::string summary() const override {
    return "Search the best layouts and loops for a workload";
  }
  std::string examples() const override {
    return "  alt tune conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1 --threads=1\n"
           "  alt tune matmul:m=512,n=512,k=512 --trials=1000 --time-limit=10m\n"
           "  alt tune conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1 --fix=x=plain,y=plain\n"
           "  alt tune matmul:m=512,n=512,k=512 --fix='b=K N/16 16n'\n"
           "  alt tune matmul:m=512,n=512,k=512 --trials=0    # only what is known\n";
  }

  void Declare(CLI::App& app) override {
    arguments_.Declare(app, /*with_cache=*/true);
    app.add_option("--trials", spec_.trials, "candidates to measure; 0: only ask the database")
        ->check(CLI::Range(int64_t{0}, job::kMaxTrials))
        ->capture_default_str();
    app.add_option("--time-limit", time_limit_, "stop after this time: 90s, 10m, 1h30m");
    app.add_option("--patience", spec_.patience, "stop after so many trials without a better one")
        ->check(CLI::Range(int64_t{1}, job::kMaxTrials));
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
    ALT_RETURN_IF_ERROR(CheckPolicy());
    if (spec_.trials == 0) return Ask(context);
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kMeasure));
    ALT_ASSIGN_OR_RETURN(spec_.target,
                         arguments_.target.Resolve(*session, context, /*waits=*/true));
    ALT_ASSIGN_OR_RETURN(job::Job job, Submit(*session, spec_));
    Note(absl::StrCat("job ", job.id, ": ", ShortName(spec_.workload), " for ",
                      target::PrintTarget(spec_.target), "\n"));
    ALT_ASSIGN_OR_RETURN(job, Follow(context, *session, job.id, OnInterrupt::kStop));
    PrintTuned(context, *session, job);
    return absl::OkStatus();
  }

 private:
  // The server knows which there are; what cannot be a name is not sent.
  absl::Status CheckPolicy() const {
    if (std::all_of(spec_.policy.begin(), spec_.policy.end(), absl::ascii_isalnum)) {
      return absl::OkStatus();
    }
    return UsageError(absl::StrCat("cannot use --policy=", base::Quoted(spec_.policy)),
                      "a policy's name has letters and digits only", "--policy=evolve or random");
  }

  // Without a trial, tune is a query.
  absl::Status Ask(Context& context) {
    job::QuerySpec query{.workload = spec_.workload, .fixed_layouts = spec_.fixed_layouts};
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(query.target,
                         arguments_.target.Resolve(*session, context, /*waits=*/false));
    ALT_ASSIGN_OR_RETURN(const job::Answer answer, session->client().Query(query));
    ShowAnswer(context, *session, query, answer);
    context.result["trials"] = 0;
    context.result["outcomes"] = Json::object();
    Json best = ToJson(query.workload, answer.candidate);
    best["record"] = context.result["record"];
    if (answer.latency) best["latency_ns"] = ToJson(*answer.latency);
    context.result["best"] = std::move(best);
    return absl::OkStatus();
  }

  WorkloadArguments arguments_;
  job::TuneSpec spec_;
  std::string time_limit_;
};

}  // namespace

std::unique_ptr<Command> MakeTuneCommand() { return std::make_unique<TuneCommand>(); }

}  // namespace alt::cli
