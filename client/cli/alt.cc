// alt: see design.md 7. Reads the environment, everything else is in main_program.cc.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "client/cli/main_program.h"
#include "common/base/log.h"

namespace {

std::string Variable(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

alt::cli::Environment ReadEnvironment(const char* program) {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string home = Variable("HOME", "/tmp");
  return {.program = program,
          .bin_dir = self.parent_path().string(),
          .state_dir = Variable("XDG_STATE_HOME", home + "/.local/state") + "/alt",
          .temp_dir = Variable("TMPDIR", "/tmp"),
          .path = Variable("PATH", "/usr/local/bin:/usr/bin:/bin"),
          .stderr_is_terminal = isatty(STDERR_FILENO) != 0,
          .color = isatty(STDOUT_FILENO) != 0 && Variable("NO_COLOR", "").empty()};
}

}  // namespace

int main(int argc, char** argv) {
  // Lives as long as the process: its thread does.
  auto& interrupts = *new alt::cli::Interrupts();
  alt::base::SetMinLogLevel(alt::base::LogLevel::kWarning);
  const alt::cli::Environment environment = ReadEnvironment(argc > 0 ? argv[0] : "alt");
  return alt::cli::RunMain(std::vector<std::string>(argv + 1, argv + argc), environment,
                           interrupts);
}
