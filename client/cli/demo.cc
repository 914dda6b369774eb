#include <CLI/CLI.hpp>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "common/base/status_macros.h"
#include "common/ir/printer.h"
#include "common/lower/lower.h"

namespace alt::cli {
namespace {

// The convolution that ResNet-18 spends most of its time in.
constexpr char kWorkload[] = "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1";

class DemoCommand : public Command {
 public:
  std::string name() const override { return "demo"; }
  std::string summary() const override {
    return "Tune a convolution of ResNet-18 and look at what came of it";
  }
  std::string examples() const override {
    return "  alt demo\n"
           "  alt demo --trials=16 --threads=1\n";
  }

  void Declare(CLI::App& app) override {
    app.add_option("--trials", trials_, "candidates to measure")
        ->check(CLI::Range(int64_t{1}, int64_t{100'000}))
        ->capture_default_str();
    target_.Declare(app);
  }

  absl::Status Run(Context& context) override {
    job::TuneSpec spec{.trials = trials_};
    ALT_ASSIGN_OR_RETURN(spec.workload, workload::Parse(kWorkload));
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kMeasure));
    ALT_ASSIGN_OR_RETURN(spec.target, target_.Resolve(*session, context, /*waits=*/true));
    Note(absl::StrCat("tuning ", kWorkload, "\nfor    ", target::PrintTarget(spec.target),
                      "\nlayouts of the three tensors and the loops are searched together\n\n"));
    ALT_ASSIGN_OR_RETURN(job::Job job, Submit(*session, spec));
    ALT_ASSIGN_OR_RETURN(job, Follow(context, *session, job.id, OnInterrupt::kStop));
    if (context.options.json) {
      PrintTuned(context, *session, job);
      return absl::OkStatus();
    }
    ALT_ASSIGN_OR_RETURN(
        const job::Answer answer,
        session->client().Query({.workload = spec.workload, .target = spec.target}));
    ALT_ASSIGN_OR_RETURN(const lower::Kernel kernel,
                         lower::LowerToLoops(spec.workload, answer.candidate));
    // The loops are long: the result goes below them.
    Out(absl::StrCat("its loops\n", ir::Print(kernel.module), "\n"));
    PrintTuned(context, *session, job);
    Out(absl::StrFormat("query     the database answers at once: %s, record %s\n",
                        job::AnswerSourceName(answer.source), answer.record));
    const std::string option = TargetOption(*session, spec.target);
    Note("\nnow try\n");
    for (const std::string& command :
         {absl::StrCat("query conv2d:n=1,ic=64,ih=56,iw=56,oc=96,kh=3,kw=3,pad=1", option),
          absl::StrCat("show ", answer.record, " --asm"), absl::StrCat("bench ", kWorkload, option),
          absl::StrCat("tune matmul:m=512,n=512,k=512", option)}) {
      Note(absl::StrCat("  ", session->CommandLine(command), "\n"));
    }
    return absl::OkStatus();
  }

 private:
  int64_t trials_ = 64;
  TargetArguments target_;
};

}  // namespace

std::unique_ptr<Command> MakeDemoCommand() { return std::make_unique<DemoCommand>(); }

}  // namespace alt::cli
