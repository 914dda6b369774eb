#include "client/cli/context.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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
  sigaddset(&set, SIGWINCH);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);  // `alt ... | head` ends us by a failed write, after cleaning up
  signal(SIGXFSZ, SIG_IGN);  // as does a file at the limit of `ulimit -f`
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
    if (number == SIGWINCH) {
      if (resize_handler_) resize_handler_();
      continue;
    }
    if (std::exchange(interrupted_, true) || !handler_) {
      Out(last_words_);
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

void Interrupts::SetResizeHandler(std::function<void()> handler) {
  absl::MutexLock lock(&mutex_);
  resize_handler_ = std::move(handler);
}

void Interrupts::SetLastWords(std::string text) {
  absl::MutexLock lock(&mutex_);
  last_words_ = std::move(text);
}

std::string ShellWord(absl::string_view word) {
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("_-./:=,+@%", c);
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

void Out(absl::string_view text) { base::WriteAll(STDOUT_FILENO, text).IgnoreError(); }
void Note(absl::string_view text) { base::WriteAll(STDERR_FILENO, text).IgnoreError(); }

}  // namespace alt::cli
