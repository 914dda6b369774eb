#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "common/workload/workload.h"

namespace alt::cli {
namespace {

class OpsCommand : public Command {
 public:
  std::string name() const override { return "ops"; }
  std::string summary() const override { return "List operators and their attributes"; }
  std::string examples() const override {
    return "  alt ops\n"
           "  alt ops --json\n";
  }
  void Declare(CLI::App&) override {}

  absl::Status Run(Context& context) override {
    if (context.options.json) {
      Json list = Json::array();
      for (const workload::OperatorHelp& op : workload::Operators()) {
        list.push_back({{"name", op.name}, {"attributes", op.attributes}, {"meaning", op.meaning}});
      }
      context.result = {{"operators", list}};
      return absl::OkStatus();
    }
    for (const workload::OperatorHelp& op : workload::Operators()) {
      Out(absl::StrCat(op.name, ":", op.attributes, "\n    ", op.meaning, "\n"));
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Command> MakeOpsCommand() { return std::make_unique<OpsCommand>(); }

}  // namespace alt::cli
