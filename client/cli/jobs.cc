// jobs, watch, cancel, resume, replay: what can be done with a job.
#include <CLI/CLI.hpp>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

struct SpecText {
  std::string kind, workload, target;
};

SpecText Describe(const job::JobSpec& spec) {
  if (const auto* tune = std::get_if<job::TuneSpec>(&spec)) {
    return {"tune", workload::Print(tune->workload), target::PrintTarget(tune->target)};
  }
  if (const auto* bench = std::get_if<job::BenchSpec>(&spec)) {
    return {"bench", workload::Print(bench->workload), target::PrintTarget(bench->target)};
  }
  return {"peak", "", target::PrintTarget(std::get<job::PeakSpec>(spec).target)};
}

Json JobJson(const job::Job& job) {
  const SpecText text = Describe(job.spec);
  Json out = {{"job", job.id},
              {"kind", text.kind},
              {"state", std::string(job::JobStateName(job.state))},
              {"reason", job.reason},
              {"workload", text.workload},
              {"target", text.target},
              {"created", absl::FormatTime(absl::RFC3339_sec, job.created, absl::UTCTimeZone())}};
  if (const auto* tune = std::get_if<job::TuneProgress>(&job.progress)) {
    out["trials"] = tune->trials;
    out["trials_wanted"] = std::get<job::TuneSpec>(job.spec).trials;
  }
  return out;
}

class JobsCommand : public Command {
 public:
  std::string name() const override { return "jobs"; }
  std::string summary() const override { return "List jobs, newest first"; }
  void Declare(CLI::App& app) override {
    app.add_option("--limit", limit_, "most to list")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
  }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/false));
    ALT_ASSIGN_OR_RETURN(const std::vector<job::Job> jobs, session->client().ListJobs(limit_));
    if (context.options.json) {
      Json list = Json::array();
      for (const job::Job& job : jobs) list.push_back(JobJson(job));
      PrintJson({{"jobs", list}});
      return absl::OkStatus();
    }
    for (const job::Job& job : jobs) {
      const SpecText text = Describe(job.spec);
      Out(absl::StrFormat("%-6s %-5s %-9s %s for %s%s\n", job.id, text.kind,
                          job::JobStateName(job.state),
                          text.workload.empty() ? "the machine" : text.workload, text.target,
                          job.reason.empty() ? "" : absl::StrCat(" (", job.reason, ")")));
    }
    return absl::OkStatus();
  }

 private:
  int64_t limit_ = 20;
};

// A command on one job, its first positional argument.
class JobCommand : public Command {
 public:
  void Declare(CLI::App& app) override {
    app.add_option("job", job_, "such as j12; `alt jobs` lists them")->required()->type_name("");
  }

 protected:
  // What tune prints, or one line.
  void PrintRested(Context& context, Session& session, const job::Job& job) const {
    if (std::holds_alternative<job::TuneSpec>(job.spec)) {
      PrintTuned(context, session, job);
    } else if (context.options.json) {
      PrintJson(JobJson(job));
    } else {
      Out(absl::StrCat(job.id, " ", std::string(job::JobStateName(job.state)), "\n"));
    }
  }

  std::string job_;
};

class WatchCommand : public JobCommand {
 public:
  std::string name() const override { return "watch"; }
  std::string summary() const override { return "Follow a job to its end; Ctrl-C only detaches"; }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/false));
    ALT_ASSIGN_OR_RETURN(const job::Job job, Follow(context, *session, job_, OnInterrupt::kDetach));
    PrintRested(context, *session, job);
    return absl::OkStatus();
  }
};

class ResumeCommand : public JobCommand {
 public:
  std::string name() const override { return "resume"; }
  std::string summary() const override { return "Go on with a stopped job, and follow it"; }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/true));
    ALT_RETURN_IF_ERROR(session->client().ResumeJob(job_).status());
    ALT_ASSIGN_OR_RETURN(const job::Job job, Follow(context, *session, job_, OnInterrupt::kStop));
    PrintRested(context, *session, job);
    return absl::OkStatus();
  }
};

class CancelCommand : public JobCommand {
 public:
  std::string name() const override { return "cancel"; }
  std::string summary() const override { return "Stop a job; `alt resume` goes on with it"; }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/false));
    ALT_ASSIGN_OR_RETURN(const job::Job job, session->client().CancelJob(job_));
    if (context.options.json) {
      PrintJson(JobJson(job));
    } else {
      Out(absl::StrCat(job.id, " ", std::string(job::JobStateName(job.state)), "\n"));
    }
    return absl::OkStatus();
  }
};

class ReplayCommand : public JobCommand {
 public:
  std::string name() const override { return "replay"; }
  std::string summary() const override {
    return "Repeat a job's search from its log and compare the proposals";
  }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/false));
    ALT_ASSIGN_OR_RETURN(const job::ReplayReport report, session->client().Replay(job_));
    if (context.options.json) {
      PrintJson({{"identical", report.identical},
                 {"proposals", report.proposals},
                 {"first_difference",
                  report.first_difference.empty() ? Json() : Json(report.first_difference)}});
    } else {
      Out(absl::StrFormat("%d proposals, %s\n", report.proposals,
                          report.identical ? "all the same" : report.first_difference));
    }
    if (!report.identical && !context.options.json) {
      return CliError(ExitCode::kFailed, absl::StrCat("the search of ", job_, " does not repeat"),
                      report.first_difference);
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Command> MakeJobsCommand() { return std::make_unique<JobsCommand>(); }
std::unique_ptr<Command> MakeWatchCommand() { return std::make_unique<WatchCommand>(); }
std::unique_ptr<Command> MakeCancelCommand() { return std::make_unique<CancelCommand>(); }
std::unique_ptr<Command> MakeResumeCommand() { return std::make_unique<ResumeCommand>(); }
std::unique_ptr<Command> MakeReplayCommand() { return std::make_unique<ReplayCommand>(); }

}  // namespace alt::cli
