// jobs, watch, cancel, resume, replay: what can be done with a job.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "client/cli/job_argument.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/table.h"
#include "client/cli/terminal.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

class JobsCommand : public Command {
 public:
  std::string name() const override { return "jobs"; }
  std::string summary() const override { return "List jobs, newest first"; }
  std::string examples() const override {
    return "  alt jobs\n"
           "  alt jobs --limit=100 --full\n"
           "  alt jobs --server=127.0.0.1:7440 --json\n";
  }

  void Declare(CLI::App& app) override {
    app.add_option("--limit", limit_, "most to list")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    app.add_flag("--full", full_, "whole texts of workloads, targets and reasons");
  }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(const std::vector<job::Job> jobs, session->client().ListJobs(limit_));
    if (context.options.json) {
      Json list = Json::array();
      for (const job::Job& job : jobs) list.push_back(ToJson(job));
      context.result["jobs"] = std::move(list);
      return absl::OkStatus();
    }
    if (jobs.empty()) Note("no jobs; `alt tune WORKLOAD` makes one\n");
    if (!jobs.empty()) Out(List(jobs).ToText(full_ ? 0 : TerminalColumns(STDOUT_FILENO)));
    return absl::OkStatus();
  }

 private:
  Table List(const std::vector<job::Job>& jobs) const {
    Table table({"job", "kind", "state", "created", "trials>", "best", "workload"});
    for (const job::Job& job : jobs) {
      const SpecText text = Describe(job.spec, full_);
      std::string trials, best;
      if (const auto* tune = std::get_if<job::TuneProgress>(&job.progress)) {
        trials = absl::StrCat(tune->trials, "/", std::get<job::TuneSpec>(job.spec).trials);
        if (tune->best) best = FormatNanoseconds(tune->best->latency.median_ns);
      }
      std::string what = text.workload.empty() ? "the machine" : text.workload;
      if (full_) absl::StrAppend(&what, " for ", text.target);
      if (!job.reason.empty()) absl::StrAppend(&what, " (", job.reason, ")");
      table.Add({job.id, text.kind, std::string(job::JobStateName(job.state)),
                 FormatDate(job.created), trials, best, what});
    }
    return table;
  }

  int64_t limit_ = 20;
  bool full_ = false;
};

// A command on one job, its first positional argument.
class JobCommand : public Command {
 public:
  void Declare(CLI::App& app) override { job_.Declare(app); }

 protected:
  // What tune prints, or one line.
  void PrintRested(Context& context, Session& session, const job::Job& job) const {
    if (std::holds_alternative<job::TuneSpec>(job.spec)) return PrintTuned(context, session, job);
    context.result = ResultJson(job);
    if (context.options.json) return;
    Out(absl::StrCat(job.id, " ", std::string(job::JobStateName(job.state)), "\n"));
  }

  JobArgument job_;
};

class WatchCommand : public JobCommand {
 public:
  std::string name() const override { return "watch"; }
  std::string summary() const override { return "Follow a job to its end; Ctrl-C only detaches"; }
  std::string examples() const override {
    return "  alt watch j3\n  alt watch j3 --server=127.0.0.1:7440\n";
  }

  absl::Status Run(Context& context) override {
    ALT_RETURN_IF_ERROR(job_.Check());
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(const job::Job job,
                         Follow(context, *session, job_.name, OnInterrupt::kDetach));
    PrintRested(context, *session, job);
    return absl::OkStatus();
  }
};

class ResumeCommand : public JobCommand {
 public:
  std::string name() const override { return "resume"; }
  std::string summary() const override { return "Go on with a stopped job, and follow it"; }
  std::string examples() const override { return "  alt resume j3\n"; }

  absl::Status Run(Context& context) override {
    ALT_RETURN_IF_ERROR(job_.Check());
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kMeasure));
    ALT_RETURN_IF_ERROR(job_.Explain(session->client().ResumeJob(job_.name).status(), "resume"));
    ALT_ASSIGN_OR_RETURN(const job::Job job,
                         Follow(context, *session, job_.name, OnInterrupt::kStop));
    PrintRested(context, *session, job);
    return absl::OkStatus();
  }
};

class CancelCommand : public JobCommand {
 public:
  std::string name() const override { return "cancel"; }
  std::string summary() const override { return "Stop a job; `alt resume` goes on with it"; }
  std::string examples() const override {
    return "  alt cancel j3\n  alt cancel j3 --server=127.0.0.1:7440\n";
  }

  absl::Status Run(Context& context) override {
    ALT_RETURN_IF_ERROR(job_.Check());
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kWrite));
    ALT_ASSIGN_OR_RETURN(const job::Job job, session->client().CancelJob(job_.name),
                         job_.Explain(_, "cancel"));
    if (context.options.json) {
      context.result = ResultJson(job);
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
  std::string examples() const override { return "  alt replay j3 --json\n"; }

  absl::Status Run(Context& context) override {
    ALT_RETURN_IF_ERROR(job_.Check());
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(const job::ReplayReport report, session->client().Replay(job_.name),
                         job_.Explain(_, "replay"));
    if (context.options.json) {
      context.result = {{"identical", report.identical},
                        {"proposals", report.proposals},
                        {"first_difference",
                         report.first_difference.empty() ? Json() : Json(report.first_difference)}};
    } else {
      Out(absl::StrFormat("%d proposals, %s\n", report.proposals,
                          report.identical ? "all the same" : report.first_difference));
    }
    if (!report.identical) {
      return CliError(ExitCode::kFailed,
                      absl::StrCat("the search of ", job_.name, " does not repeat"),
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
