#include <CLI/CLI.hpp>

#include "client/cli/answer.h"
#include "client/cli/arguments.h"
#include "client/cli/command.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

class QueryCommand : public Command {
 public:
  std::string name() const override { return "query"; }
  std::string summary() const override {
    return "Answer the best known candidate for a workload, without measuring";
  }
  std::string examples() const override {
    return "  alt query matmul:m=512,n=512,k=512\n"
           "  alt query conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1 --threads=1 --json\n"
           "  alt query matmul:m=512,n=512,k=512 --any-target\n";
  }

  void Declare(CLI::App& app) override {
    arguments_.Declare(app, /*with_cache=*/false);
    app.add_flag("--any-target", any_target_, "the nearest workload may be one of another target");
  }

  absl::Status Run(Context& context) override {
    job::QuerySpec spec{.any_target = any_target_};
    ALT_ASSIGN_OR_RETURN(spec.workload, arguments_.ReadWorkload());
    ALT_ASSIGN_OR_RETURN(spec.fixed_layouts, arguments_.ReadFix(spec.workload));
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(spec.target,
                         arguments_.target.Resolve(*session, context, /*waits=*/false));
    spec.validators = FactsHere(*session, spec.target);
    ALT_ASSIGN_OR_RETURN(const job::Answer answer, session->client().Query(spec));
    ShowAnswer(context, *session, spec, answer);
    return absl::OkStatus();
  }

 private:
  WorkloadArguments arguments_;
  bool any_target_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeQueryCommand() { return std::make_unique<QueryCommand>(); }

}  // namespace alt::cli
