#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

class QueryCommand : public Command {
 public:
  std::string name() const override { return "query"; }
  std::string summary() const override {
    return "Answer the best known candidate for a workload, without measuring";
  }

  void Declare(CLI::App& app) override {
    arguments_.Declare(app, /*with_cache=*/false);
    app.add_flag("--any-target", any_target_, "the nearest workload may be one of another target");
  }

  absl::Status Run(Context& context) override {
    job::QuerySpec spec{.any_target = any_target_};
    ALT_ASSIGN_OR_RETURN(spec.workload, arguments_.ReadWorkload());
    ALT_ASSIGN_OR_RETURN(spec.fixed_layouts, arguments_.ReadFix(spec.workload));
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/false));
    ALT_ASSIGN_OR_RETURN(spec.target,
                         arguments_.target.Resolve(*session, context, /*waits=*/false));
    ALT_ASSIGN_OR_RETURN(const job::Answer answer, session->client().Query(spec));
    if (context.options.json) {
      PrintAnswerJson(spec, answer);
    } else {
      PrintAnswer(*session, spec, answer);
    }
    return absl::OkStatus();
  }

 private:
  static void PrintAnswerJson(const job::QuerySpec& spec, const job::Answer& answer) {
    Json out = {{"source", std::string(job::AnswerSourceName(answer.source))},
                {"reason", answer.reason},
                {"workload", workload::Print(spec.workload)},
                {"target", target::PrintTarget(spec.target)},
                {"record", answer.record.empty() ? Json() : Json(answer.record)},
                {"candidate", ToJson(spec.workload, answer.candidate)}};
    if (answer.latency) {
      out["latency_ns"] = ToJson(*answer.latency);
      out["gflops"] = GflopsOf(spec.workload, *answer.latency);
    }
    PrintJson(out);
  }

  static void PrintAnswer(Session& session, const job::QuerySpec& spec, const job::Answer& answer) {
    Out(absl::StrFormat("source    %s\n", job::AnswerSourceName(answer.source)));
    if (!answer.reason.empty()) Out(absl::StrCat("reason    ", answer.reason, "\n"));
    if (!answer.record.empty()) Out(absl::StrCat("record    ", answer.record, "\n"));
    if (answer.latency) {
      Out(absl::StrFormat("latency   %s, %.1f GFLOP/s\n",
                          FormatNanoseconds(answer.latency->median_ns),
                          GflopsOf(spec.workload, *answer.latency)));
    }
    Out(absl::StrCat("layouts\n", DescribeLayouts(spec.workload, answer.candidate), "trace\n",
                     schedule::Print(answer.candidate.trace)));
    if (answer.source != job::AnswerSource::kExact) {
      Note(absl::StrCat(
          "next: ",
          session.CommandLine(absl::StrCat("tune ", ShellWord(workload::Print(spec.workload)),
                                           TargetOption(session, spec.target))),
          "\n"));
    }
  }

  WorkloadArguments arguments_;
  bool any_target_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeQueryCommand() { return std::make_unique<QueryCommand>(); }

}  // namespace alt::cli
