// `alt` as a function: finds the command, reads the arguments, runs it, reports errors.
#ifndef CLIENT_CLI_MAIN_PROGRAM_H_
#define CLIENT_CLI_MAIN_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/context.h"

namespace alt::cli {

// arguments: without the program's name. Returns the exit code.
int RunMain(const std::vector<std::string>& arguments, const Environment& environment,
            Interrupts& interrupts);

// For a process that cannot even start: says why, as RunMain does. Returns the exit code.
int ReportStartFailure(const std::vector<std::string>& arguments, const absl::Status& why);

}  // namespace alt::cli

#endif  // CLIENT_CLI_MAIN_PROGRAM_H_
