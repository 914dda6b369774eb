#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/job_argument.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/session.h"
#include "client/cli/table.h"
#include "client/cli/terminal.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

Json TrialJson(const job::Trial& trial) {
  Json out = {{"trial", trial.trial},
              {"record", trial.record},
              {"outcome", std::string(measure::OutcomeName(trial.outcome))},
              {"algorithm", trial.algorithm},
              {"latency_ns", trial.latency ? ToJson(*trial.latency) : Json()},
              {"reason", trial.reason}};
  if (trial.censored) out["censored"] = true;
  return out;
}

// In exact numbers, for other programs.
Table Spreadsheet(const std::vector<job::Trial>& trials) {
  Table table({"trial>", "record", "outcome", "algorithm", "median_ns>", "min_ns>", "mad_ns>",
               "batches>", "reason"});
  for (const job::Trial& trial : trials) {
    std::vector<std::string> row = {absl::StrCat(trial.trial), trial.record,
                                    std::string(measure::OutcomeName(trial.outcome)),
                                    trial.algorithm};
    if (trial.latency) {
      for (const double ns :
           {trial.latency->median_ns, trial.latency->min_ns, trial.latency->mad_ns}) {
        row.push_back(absl::StrFormat("%.1f", ns));
      }
      row.push_back(absl::StrCat(trial.latency->n));
    } else {
      row.insert(row.end(), 4, "");
    }
    row.push_back(trial.reason);
    table.Add(std::move(row));
  }
  return table;
}

Table Listing(const std::vector<job::Trial>& trials) {
  Table table({"trial>", "record", "outcome", "latency", "algorithm", "reason"});
  for (const job::Trial& trial : trials) {
    std::string latency = trial.latency ? FormatLatency(*trial.latency) : "";
    if (trial.censored) absl::StrAppend(&latency, ", given up");
    table.Add({absl::StrCat(trial.trial), trial.record,
               std::string(measure::OutcomeName(trial.outcome)), latency, trial.algorithm,
               trial.reason});
  }
  return table;
}

class TrialsCommand : public Command {
 public:
  std::string name() const override { return "trials"; }
  std::string summary() const override { return "List what a job has tried, and what came of it"; }
  std::string examples() const override {
    return "  alt trials j3 --top=10\n"
           "  alt trials j3 --failed\n"
           "  alt trials j3 --csv > j3.csv\n";
  }

  void Declare(CLI::App& app) override {
    job_.Declare(app);
    app.add_option("--top", top_, "only so many, the fastest first")->check(CLI::PositiveNumber);
    app.add_flag("--failed", failed_, "only those that gave no time");
    app.add_flag("--csv", csv_, "comma-separated values, with a heading");
  }

  absl::Status Run(Context& context) override {
    ALT_RETURN_IF_ERROR(job_.Check());
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(std::vector<job::Trial> trials, session->client().ListTrials(job_.name),
                         job_.Explain(_, "list the trials of"));
    Choose(trials);
    Json list = Json::array();
    for (const job::Trial& trial : trials) list.push_back(TrialJson(trial));
    context.result["trials"] = std::move(list);
    if (context.options.json) return absl::OkStatus();
    if (csv_) {
      Out(Spreadsheet(trials).ToCsv());
    } else if (trials.empty()) {
      Note(failed_ ? "no trial has failed\n" : "no trials\n");
    } else {
      Out(Listing(trials).ToText(TerminalColumns(STDOUT_FILENO)));
    }
    return absl::OkStatus();
  }

 private:
  void Choose(std::vector<job::Trial>& trials) const {
    if (failed_) {
      trials.erase(std::remove_if(trials.begin(), trials.end(),
                                  [](const job::Trial& trial) { return trial.latency; }),
                   trials.end());
    }
    if (top_ == 0) return;
    std::stable_sort(trials.begin(), trials.end(), [](const job::Trial& a, const job::Trial& b) {
      if (!a.latency || !b.latency) return a.latency.has_value() && !b.latency;
      return a.latency->median_ns < b.latency->median_ns;
    });
    if (static_cast<int64_t>(trials.size()) > top_) {
      trials.resize(static_cast<size_t>(top_));
    }
  }

  JobArgument job_;
  int64_t top_ = 0;  // 0: all, in the order of the job
  bool failed_ = false, csv_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeTrialsCommand() { return std::make_unique<TrialsCommand>(); }

}  // namespace alt::cli
