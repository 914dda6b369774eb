// Errors as a user of `alt` sees them: what failed, why, and what to do. Exit codes of
// docs/command_line.md#exit-codes.
#ifndef CLIENT_CLI_CLI_ERROR_H_
#define CLIENT_CLI_CLI_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace alt::cli {

enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kUnreachable = 3,
  kLocked = 4,
  kDenied = 5,
  kIncompatible = 6,
  kInterrupted = 130,
};

// A status that carries its exit code and, where there is one, advice. `why` and `fix` may be
// empty.
absl::Status CliError(ExitCode code, absl::string_view what, absl::string_view why = "",
                      absl::string_view fix = "");
absl::Status UsageError(absl::string_view what, absl::string_view why = "",
                        absl::string_view fix = "");

// Puts "what" in front of a status of a library or a server, whose message becomes the why.
absl::Status Explain(const absl::Status& status, absl::string_view what,
                     absl::string_view fix = "");

// A usage error that has no advice gets this one.
absl::Status Advise(const absl::Status& status, absl::string_view fix);

// By the status's own exit code, else by its code: InvalidArgument is a usage error, Unavailable
// means unreachable, ...
ExitCode ExitCodeOf(const absl::Status& status);

// The parts of an error; `why` and `fix` may be empty.
struct ErrorText {
  std::string what, why, fix;
};
ErrorText Describe(const absl::Status& status);

// "alt: what\nwhy: ...\nfix: ...\n", without the lines that have nothing to say.
std::string FormatError(const absl::Status& status);

}  // namespace alt::cli

#endif  // CLIENT_CLI_CLI_ERROR_H_
