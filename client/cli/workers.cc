#include <unistd.h>

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/session.h"
#include "client/cli/table.h"
#include "client/cli/terminal.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

Json WorkerJson(const job::WorkerStatus& worker) {
  Json out = {{"name", worker.name},
              {"target", target::PrintTarget(worker.facts.target)},
              {"host", worker.facts.host},
              {"pid", worker.facts.pid},
              {"last_seen_s", absl::ToDoubleSeconds(worker.last_seen)},
              {"job", worker.job.empty() ? Json() : Json(worker.job)},
              {"draining", worker.draining},
              {"takes_no_work", worker.takes_no_work},
              {"measured", worker.measured}};
  if (worker.facts.peak) out["gflops_1t"] = worker.facts.peak->gflops_1t;
  return out;
}

std::string FormatAgo(absl::Duration since) {
  if (since < absl::Seconds(2)) return "just now";
  return absl::StrCat(absl::FormatDuration(absl::Trunc(since, absl::Seconds(1))), " ago");
}

class WorkersCommand : public Command {
 public:
  std::string name() const override { return "workers"; }
  std::string summary() const override { return "List the workers of a server"; }
  std::string examples() const override { return "  alt workers --server=127.0.0.1:7440\n"; }
  void Declare(CLI::App&) override {}

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(const std::vector<job::WorkerStatus> workers,
                         session->client().ListWorkers());
    if (context.options.json) {
      Json list = Json::array();
      for (const job::WorkerStatus& worker : workers) list.push_back(WorkerJson(worker));
      context.result = {{"workers", list}};
      return absl::OkStatus();
    }
    Table table({"worker", "job", "measured>", "seen", "target"});
    for (const job::WorkerStatus& worker : workers) {
      table.Add({worker.name,
                 worker.draining      ? "leaving"
                 : worker.job.empty() ? "idle"
                                      : worker.job,
                 absl::StrCat(worker.measured), FormatAgo(worker.last_seen),
                 target::PrintTarget(worker.facts.target)});
    }
    if (!workers.empty()) Out(table.ToText(TerminalColumns(STDOUT_FILENO)));
    for (const job::WorkerStatus& worker : workers) {
      if (worker.takes_no_work.empty()) continue;
      Out(absl::StrCat(worker.name, " takes no work: ", worker.takes_no_work, "\n"));
    }
    if (workers.empty()) {
      Note(session->is_local()
               ? "no workers: a private server starts one for each command that measures\n"
               : absl::StrCat("no workers; start one with: alt-worker --server=",
                              context.options.server, " --device=cpu:0\n"));
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Command> MakeWorkersCommand() { return std::make_unique<WorkersCommand>(); }

}  // namespace alt::cli
