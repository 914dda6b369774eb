// alt, the command line. Reads the environment; everything else is in main_program.cc.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "client/cli/cli_error.h"
#include "client/cli/main_program.h"
#include "common/base/log.h"
#include "common/base/state_dir.h"
#include "common/base/thread_room.h"

namespace {

// gRPC's, and one for signals.
constexpr int kThreads = 16;

std::string Variable(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

alt::cli::Environment ReadEnvironment(const char* program) {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const bool live = isatty(STDERR_FILENO) != 0 && Variable("TERM", "dumb") != "dumb";
  return {.program = program,
          .bin_dir = self.parent_path().string(),
          .state_dir = alt::base::StateDir(Variable("XDG_STATE_HOME", ""), Variable("HOME", ""),
                                           alt::base::UserHome()),
          .temp_dir = Variable("TMPDIR", "/tmp"),
          .path = Variable("PATH", "/usr/local/bin:/usr/bin:/bin"),
          .live = live,
          .color = live && Variable("NO_COLOR", "").empty()};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (const absl::Status room = alt::base::CheckThreadRoom(kThreads); !room.ok()) {
    return alt::cli::ReportStartFailure(arguments, room);
  }
  // Lives as long as the process: its thread does.
  auto& interrupts = *new alt::cli::Interrupts();
  alt::base::SetMinLogLevel(alt::base::LogLevel::kWarning);
  const alt::cli::Environment environment = ReadEnvironment(argc > 0 ? argv[0] : "alt");
  return alt::cli::RunMain(arguments, environment, interrupts);
}
