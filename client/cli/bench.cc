#include <CLI/CLI.hpp>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

class BenchCommand : public Command {
 public:
  std::string name() const override { return "bench"; }
  std::string summary() const override {
    return "Time a workload's best known candidate against the machine's peak";
  }
  std::string examples() const override {
    return "  alt bench matmul:m=512,n=512,k=512\n"
           "  alt bench matmul:m=512,n=512,k=512 --candidate=mine.alt --threads=1\n"
           "  alt bench conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1 --cache=cold\n";
  }

  void Declare(CLI::App& app) override {
    arguments_.Declare(app, /*with_cache=*/true);
    app.add_option("--candidate", candidate_file_, "time the candidate in this file instead")
        ->type_name("FILE");
  }

  absl::Status Run(Context& context) override {
    job::BenchSpec spec;
    ALT_ASSIGN_OR_RETURN(spec.workload, arguments_.ReadWorkload());
    ALT_ASSIGN_OR_RETURN(spec.fixed_layouts, arguments_.ReadFix(spec.workload));
    ALT_ASSIGN_OR_RETURN(spec.cache, arguments_.ReadCache());
    if (!candidate_file_.empty()) {
      ALT_ASSIGN_OR_RETURN(const workload::CandidateFile file,
                           ReadCandidateFile(candidate_file_, spec.workload));
      spec.candidate = file.candidate;
    }
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kMeasure));
    ALT_ASSIGN_OR_RETURN(spec.target, arguments_.target.Resolve(*session, context, /*waits=*/true));
    ALT_ASSIGN_OR_RETURN(job::Job job, Submit(*session, spec));
    ALT_ASSIGN_OR_RETURN(job, Follow(context, *session, job.id, OnInterrupt::kDrop));
    const auto* bench = std::get_if<job::BenchProgress>(&job.progress);
    if (bench == nullptr || !bench->answer || !bench->result) {
      return CliError(ExitCode::kFailed, "the measurement was stopped", job.reason);
    }
    return Print(context, spec, *bench->answer, *bench->result);
  }

 private:
  static absl::Status Print(Context& context, const job::BenchSpec& spec, const job::Answer& answer,
                            const measure::MeasureResult& result) {
    if (!result.latency) {
      return CliError(ExitCode::kFailed,
                      absl::StrCat("the candidate ended with ",
                                   std::string(measure::OutcomeName(result.outcome))),
                      result.message);
    }
    const double gflops = GflopsOf(spec.workload, *result.latency);
    const double peak = result.peak_gflops.value_or(0);
    const std::string source(job::AnswerSourceName(answer.source));
    if (context.options.json) {
      Json out = {{"workload", workload::Print(spec.workload)},
                  {"target", target::PrintTarget(spec.target)},
                  {"threads", spec.target.threads},
                  {"source", source},
                  {"reason", answer.reason},
                  {"record", answer.record.empty() ? Json() : Json(answer.record)},
                  {"latency_ns", ToJson(*result.latency)},
                  {"gflops", gflops},
                  {"disturbed", result.disturbed}};
      if (peak > 0) {
        out["peak_gflops"] = peak;
        out["peak_fraction"] = gflops / peak;
      }
      context.result = out;
      return absl::OkStatus();
    }
    Out(absl::StrFormat("source    %s%s\nlatency   %s, %s minimum, of %d batches\n", source,
                        answer.reason.empty() ? "" : absl::StrCat(" (", answer.reason, ")"),
                        FormatLatency(*result.latency), FormatNanoseconds(result.latency->min_ns),
                        result.latency->n));
    Out(absl::StrFormat("speed     %.1f GFLOP/s", gflops));
    if (peak > 0) Out(absl::StrFormat(", %.1f%% of %.1f", 100 * gflops / peak, peak));
    Out("\n");
    if (result.disturbed) Note("the host was busy: others used its CPUs, it may be faster alone\n");
    return absl::OkStatus();
  }

  WorkloadArguments arguments_;
  std::string candidate_file_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchCommand() { return std::make_unique<BenchCommand>(); }

}  // namespace alt::cli
