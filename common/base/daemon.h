// What the main functions of the programs that run until they are told to stop have in common.
#ifndef COMMON_BASE_DAEMON_H_
#define COMMON_BASE_DAEMON_H_

#include <optional>

namespace CLI {
class App;
}

namespace alt::base {

// Keeps SIGINT and SIGTERM for WaitForStopSignal, and lets writes fail that would end the process
// (a peer that is gone, a file at its size limit). First thing in main: threads inherit it.
void PrepareSignals();
// Waits for the next SIGINT or SIGTERM.
void WaitForStopSignal();

// Adds --version and reads the command line. The exit code when the program is to end at once:
// help or version was asked for, or (2) there is a mistake, which has been told.
std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv);

}  // namespace alt::base

#endif  // COMMON_BASE_DAEMON_H_
