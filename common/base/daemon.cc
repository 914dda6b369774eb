#include "common/base/daemon.h"

#include <signal.h>

#include <CLI/CLI.hpp>

#include "common/base/version.h"

namespace alt::base {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void PrepareSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

void WaitForStopSignal() {
  const sigset_t set = StopSignals();
  int number;
  while (sigwait(&set, &number) != 0) {
  }
}

std::optional<int> ParseFlags(CLI::App& app, int argc, char** argv) {
  app.set_version_flag("--version", app.get_name() + " " + kVersion);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace alt::base
