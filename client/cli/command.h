// The commands of `alt`, one file each.
#ifndef CLIENT_CLI_COMMAND_H_
#define CLIENT_CLI_COMMAND_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/context.h"

namespace CLI {
class App;
}

namespace alt::cli {

class Command {
 public:
  virtual ~Command() = default;

  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;   // one line of the help
  virtual std::string examples() const = 0;  // command lines, indented by two, one a line
  // Adds its own arguments; --db, --server and --json are there already.
  virtual void Declare(CLI::App& app) = 0;
  virtual absl::Status Run(Context& context) = 0;
};

std::unique_ptr<Command> MakeTuneCommand();
std::unique_ptr<Command> MakeQueryCommand();
std::unique_ptr<Command> MakeBenchCommand();
std::unique_ptr<Command> MakeShowCommand();
std::unique_ptr<Command> MakeCompileCommand();
std::unique_ptr<Command> MakeRunCommand();
std::unique_ptr<Command> MakePeakCommand();
std::unique_ptr<Command> MakeOpsCommand();
std::unique_ptr<Command> MakeDemoCommand();
std::unique_ptr<Command> MakeJobsCommand();
std::unique_ptr<Command> MakeWatchCommand();
std::unique_ptr<Command> MakeCancelCommand();
std::unique_ptr<Command> MakeResumeCommand();
std::unique_ptr<Command> MakeReplayCommand();
std::unique_ptr<Command> MakeTrialsCommand();
std::unique_ptr<Command> MakeRecordsCommand();
std::unique_ptr<Command> MakeWorkersCommand();
std::unique_ptr<Command> MakeDbCommand();

// In the order of the help.
std::vector<std::unique_ptr<Command>> MakeCommands();

}  // namespace alt::cli

#endif  // CLIENT_CLI_COMMAND_H_
