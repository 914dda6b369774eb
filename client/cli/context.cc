#include "client/cli/context.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "client/cli/cli_error.h"
#include "common/base/file.h"

namespace alt::cli {
namespace {

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);  // `alt ... | head` ends us by a failed write, after cleaning up
  // Ends with the process: main does not return before everything else is done.
  std::thread([this] { Wait(); }).detach();
}

void Interrupts::Wait() {
  const sigset_t set = Signals();
  while (true) {
    int number;
    if (sigwait(&set, &number) != 0) continue;
    // Under the lock: whoever takes the handler back knows afterwards that it does not run.
    absl::MutexLock lock(&mutex_);
    if (std::exchange(interrupted_, true) || !handler_) {
      _exit(static_cast<int>(ExitCode::kInterrupted));
    }
    handler_();
  }
}

bool Interrupts::interrupted() const {
  absl::MutexLock lock(&mutex_);
  return interrupted_;
}

void Interrupts::SetHandler(std::function<void()> handler) {
  absl::MutexLock lock(&mutex_);
  handler_ = std::move(handler);
  if (interrupted_ && handler_) handler_();
}

void Out(absl::string_view text) { base::WriteAll(STDOUT_FILENO, text).IgnoreError(); }
void Note(absl::string_view text) { base::WriteAll(STDERR_FILENO, text).IgnoreError(); }

}  // namespace alt::cli
