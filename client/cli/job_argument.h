#ifndef CLIENT_CLI_JOB_ARGUMENT_H_
#define CLIENT_CLI_JOB_ARGUMENT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace CLI {
class App;
}

namespace alt::cli {

// The job that a command is about, its first positional argument.
struct JobArgument {
  std::string name;

  void Declare(CLI::App& app);
  // What cannot be a job's name is said here, before a server is asked.
  absl::Status Check() const;
  // What a server said when it was asked to `verb` the job.
  absl::Status Explain(const absl::Status& status, absl::string_view verb) const;
};

}  // namespace alt::cli

#endif  // CLIENT_CLI_JOB_ARGUMENT_H_
