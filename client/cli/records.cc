#include <unistd.h>

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/table.h"
#include "client/cli/terminal.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

Json RecordJson(const measure::TuningRecord& record) {
  Json out = {{"record", record.id},
              {"workload", workload::Print(record.workload)},
              {"target", target::PrintTarget(record.target)},
              {"outcome", std::string(measure::OutcomeName(record.result.outcome))},
              {"algorithm", workload::Print(record.candidate.algorithm)},
              {"job", record.provenance.job},
              {"trial", record.provenance.trial},
              {"time", FormatUtc(record.provenance.time)}};
  if (record.result.latency) {
    out["latency_ns"] = ToJson(*record.result.latency);
    out["gflops"] = GflopsOf(record.workload, *record.result.latency);
  }
  if (!record.result.message.empty()) out["reason"] = record.result.message;
  return out;
}

class RecordsCommand : public Command {
 public:
  std::string name() const override { return "records"; }
  std::string summary() const override { return "List what was measured, newest first"; }
  std::string examples() const override {
    return "  alt records\n"
           "  alt records matmul:m=512,n=512,k=512 --limit=100\n"
           "  alt records --full --json\n";
  }

  void Declare(CLI::App& app) override {
    app.add_option("workload", workload_, "only records of this workload")->type_name("");
    app.add_option("--target", target_, "only records of this target")->type_name("TARGET");
    app.add_option("--limit", limit_, "most to list")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_flag("--full", full_, "whole texts of workloads and targets, whatever their length");
  }

  absl::Status Run(Context& context) override {
    job::RecordQuery query{.limit = limit_};
    if (!workload_.empty()) {
      WorkloadArguments arguments{.workload = workload_};
      ALT_ASSIGN_OR_RETURN(query.workload, arguments.ReadWorkload());
    }
    if (!target_.empty()) {
      const TargetArguments arguments{.target = target_};
      ALT_ASSIGN_OR_RETURN(query.target, arguments.ResolveLocally());
    }
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(const std::vector<measure::TuningRecord> records,
                         session->client().ListRecords(query));
    if (context.options.json) {
      Json list = Json::array();
      for (const measure::TuningRecord& record : records) list.push_back(RecordJson(record));
      context.result["records"] = std::move(list);
      return absl::OkStatus();
    }
    Print(records);
    if (records.empty()) Note("no records; `alt tune WORKLOAD` makes some\n");
    return absl::OkStatus();
  }

 private:
  void Print(const std::vector<measure::TuningRecord>& records) const {
    if (records.empty()) return;
    Table table(
        {"record", "outcome", "latency", "GFLOP/s>", "job", "trial>", "measured", "workload"});
    for (const measure::TuningRecord& record : records) {
      const auto& latency = record.result.latency;
      std::string what = full_ ? workload::Print(record.workload) : ShortName(record.workload);
      if (full_) absl::StrAppend(&what, " for ", target::PrintTarget(record.target));
      table.Add({record.id, std::string(measure::OutcomeName(record.result.outcome)),
                 latency ? FormatLatency(*latency) : "",
                 latency ? absl::StrFormat("%.1f", GflopsOf(record.workload, *latency)) : "",
                 record.provenance.job, FormatTrial(record.provenance.trial),
                 FormatDate(record.provenance.time), what});
    }
    Out(table.ToText(full_ ? 0 : TerminalColumns(STDOUT_FILENO)));
  }

  std::string workload_, target_;
  int64_t limit_ = 20;
  bool full_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeRecordsCommand() { return std::make_unique<RecordsCommand>(); }

}  // namespace alt::cli
