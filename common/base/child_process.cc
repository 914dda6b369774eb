#include "common/base/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace alt::base {
namespace {

// What the child does between vfork and exec, prepared so that it allocates nothing there.
struct Plan {
  std::vector<char*> argv;
  std::vector<char*> env;
  const ChildOptions* options;
  std::vector<int> copies;  // one for each of options->fds
  int first_free_fd;        // above every descriptor number that the child uses
  bool stdin_from_null;
  // Ranges [first, last] of descriptors that exec closes.
  std::vector<std::pair<unsigned, unsigned>> closed;
  int failure_fd;
  pid_t parent;
};

// Sent through a pipe by a child that could not exec.
struct SpawnFailure {
  char step[24];
  int error;
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<char*> EnvironmentPointers(const ChildOptions& options) {
  if (options.env) return Pointers(*options.env);
  std::vector<char*> pointers;
  for (char** e = environ; *e != nullptr; ++e) pointers.push_back(*e);
  pointers.push_back(nullptr);
  return pointers;
}

Plan MakePlan(const ChildOptions& options, int failure_fd) {
  Plan plan{.argv = Pointers(options.argv),
            .env = EnvironmentPointers(options),
            .options = &options,
            .copies = std::vector<int>(options.fds.size(), -1),
            .first_free_fd = 3,
            .stdin_from_null = true,
            .closed = {},
            .failure_fd = failure_fd,
            .parent = getpid()};
  std::vector<unsigned> kept = {0, 1, 2};
  for (const ChildOptions::Fd& fd : options.fds) {
    kept.push_back(static_cast<unsigned>(fd.child));
    plan.first_free_fd = std::max(plan.first_free_fd, fd.child + 1);
    if (fd.child == 0) plan.stdin_from_null = false;
  }
  std::sort(kept.begin(), kept.end());
  unsigned next = 0;
  for (unsigned fd : kept) {
    if (fd > next) plan.closed.emplace_back(next, fd - 1);
    next = fd + 1;
  }
  plan.closed.emplace_back(next, ~0U);
  return plan;
}

// ---- In the child: async-signal-safe calls only. ----

[[noreturn]] void Fail(const Plan& plan, const char* step, int error) {
  SpawnFailure failure{};
  strncpy(failure.step, step, sizeof(failure.step) - 1);
  failure.error = error;
  [[maybe_unused]] ssize_t ignored = write(plan.failure_fd, &failure, sizeof(failure));
  _exit(127);
}

void ResetSignals() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Copies first: a target number may be the source of another one.
void ArrangeDescriptors(Plan& plan) {
  const std::vector<ChildOptions::Fd>& fds = plan.options->fds;
  const int failure_fd = fcntl(plan.failure_fd, F_DUPFD_CLOEXEC, plan.first_free_fd);
  if (failure_fd < 0) Fail(plan, "pass a descriptor", errno);
  plan.failure_fd = failure_fd;
  for (size_t i = 0; i < fds.size(); ++i) {
    plan.copies[i] = fcntl(fds[i].parent, F_DUPFD_CLOEXEC, plan.first_free_fd);
    if (plan.copies[i] < 0) Fail(plan, "pass a descriptor", errno);
  }
  if (plan.stdin_from_null) {
    const int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0) Fail(plan, "open /dev/null", errno);
    if (null != 0) close(null);
  }
  for (size_t i = 0; i < fds.size(); ++i) {
    if (dup2(plan.copies[i], fds[i].child) < 0) Fail(plan, "pass a descriptor", errno);
  }
  for (const auto& [first, last] : plan.closed) {
    if (close_range(first, last, CLOSE_RANGE_CLOEXEC) != 0) Fail(plan, "close_range", errno);
  }
}

[[noreturn]] void RunChild(Plan& plan) {
  ArrangeDescriptors(plan);
  if (setpgid(0, 0) != 0) Fail(plan, "setpgid", errno);
  if (plan.options->dies_with_parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) Fail(plan, "prctl", errno);
    if (getppid() != plan.parent) _exit(127);  // it went before the line above
  }
  const std::string& directory = plan.options->working_directory;
  if (!directory.empty() && chdir(directory.c_str()) != 0) Fail(plan, "chdir", errno);
  if (plan.options->before_exec) {
    const int error = plan.options->before_exec();
    if (error != 0) Fail(plan, "before_exec", error);
  }
  ResetSignals();
  execve(plan.argv[0], plan.argv.data(), plan.env.data());
  Fail(plan, "exec", errno);
}

// ---- In the parent. ----

// vfork, because copying the page tables of a process that holds libLLVM takes milliseconds. All
// signals are blocked meanwhile: a handler must not run in the child on our memory.
pid_t VforkAndRun(Plan& plan) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = vfork();
  if (pid == 0) RunChild(plan);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

// Not glibc's: its header of 2.36 forgets extern "C".
int PidfdOpen(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

absl::Status CheckOptions(const ChildOptions& options) {
  if (options.argv.empty()) return absl::InvalidArgumentError("start a child: empty argv");
  for (const ChildOptions::Fd& fd : options.fds) {
    if (fd.parent < 0 || fd.child < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("start ", options.argv[0], ": invalid descriptor"));
    }
  }
  return absl::OkStatus();
}

// OK when the child has reached exec, which closed its end of the pipe.
absl::Status ReadSpawnFailure(int fd, const std::string& program) {
  SpawnFailure failure{};
  ssize_t got;
  do {
    got = read(fd, &failure, sizeof(failure));
  } while (got < 0 && errno == EINTR);
  if (got == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(got < 0 ? errno : failure.error,
                             absl::StrCat("start ", program, ": ", failure.step));
}

absl::Duration FromTimeval(const timeval& t) { return absl::DurationFromTimeval(t); }

ExitStatus MakeExitStatus(int status, const rusage& usage) {
  ExitStatus exit;
  exit.signaled = WIFSIGNALED(status);
  if (exit.signaled) {
    exit.signal = WTERMSIG(status);
  } else {
    exit.code = WEXITSTATUS(status);
  }
  exit.user_time = FromTimeval(usage.ru_utime);
  exit.system_time = FromTimeval(usage.ru_stime);
  exit.max_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
  return exit;
}

// True when `fd` is readable (or at its end) before `deadline` on the steady clock.
bool PollReadable(int fd, absl::Duration deadline) {
  const RealClock clock;
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  while (true) {
    const absl::Duration left = std::max(deadline - clock.SteadyNow(), absl::ZeroDuration());
    const timespec timeout = absl::ToTimespec(left);
    const bool forever = left == absl::InfiniteDuration();
    const int ready = ppoll(&entry, 1, forever ? nullptr : &timeout, nullptr);
    if (ready > 0) return true;
    if (ready == 0 && left == absl::ZeroDuration()) return false;
    ALT_CHECK(ready >= 0 || errno == EINTR) << strerror(errno);
  }
}

absl::StatusOr<std::string> ReadUntil(int fd, absl::Duration deadline, size_t limit_bytes) {
  std::string output;
  char buffer[1 << 14];
  while (true) {
    if (!PollReadable(fd, deadline)) return absl::DeadlineExceededError("no end before deadline");
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::ErrnoToStatus(errno, "read output");
    if (got == 0) return output;
    output.append(buffer, static_cast<size_t>(got));
    if (output.size() > limit_bytes) {
      return absl::OutOfRangeError(absl::StrCat("more than ", limit_bytes, " bytes of output"));
    }
  }
}

}  // namespace

std::string ExitStatus::ToString() const {
  if (!signaled) return absl::StrCat("exit code ", code);
  return absl::StrCat("signal ", signal, " (", strsignal(signal), ")");
}

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Spawn(const ChildOptions& options) {
  ALT_RETURN_IF_ERROR(CheckOptions(options));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  Plan plan = MakePlan(options, writing.get());
  const pid_t pid = VforkAndRun(plan);
  if (pid < 0) return absl::ErrnoToStatus(errno, absl::StrCat("fork for ", options.argv[0]));
  writing.Reset();
  const absl::Status started = ReadSpawnFailure(reading.get(), options.argv[0]);
  UniqueFd pidfd;
  if (started.ok()) pidfd.Reset(PidfdOpen(pid));
  if (pidfd.valid()) {
    return std::unique_ptr<ChildProcess>(new ChildProcess(pid, std::move(pidfd)));
  }
  const int error = errno;
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);  // it may not have reached setpgid
  waitpid(pid, nullptr, 0);
  return started.ok() ? absl::ErrnoToStatus(error, "pidfd_open") : started;
}

ChildProcess::~ChildProcess() {
  if (released_) return;
  Kill();
  Wait();
}

std::optional<ExitStatus> ChildProcess::WaitFor(absl::Duration timeout) {
  {
    absl::MutexLock lock(&mutex_);
    if (exit_) return exit_;
  }
  if (!PollReadable(pidfd_.get(), RealClock().SteadyNow() + timeout)) return std::nullopt;
  absl::MutexLock lock(&mutex_);
  if (!exit_) exit_ = Reap();
  return exit_;
}

ExitStatus ChildProcess::Wait() { return *WaitFor(absl::InfiniteDuration()); }

void ChildProcess::Kill(int signal) {
  absl::MutexLock lock(&mutex_);
  if (!exit_) kill(-pid_, signal);
}

ExitStatus ChildProcess::Reap() {
  // Before the leader is reaped: until then its number cannot become another group's.
  kill(-pid_, SIGKILL);
  int status = 0;
  rusage usage = {};
  pid_t reaped;
  do {
    reaped = wait4(pid_, &status, 0, &usage);
  } while (reaped < 0 && errno == EINTR);
  ALT_CHECK_EQ(reaped, pid_) << strerror(errno);
  return MakeExitStatus(status, usage);
}

absl::StatusOr<CommandResult> RunCommand(ChildOptions options, absl::Duration timeout,
                                         size_t output_limit_bytes) {
  const absl::Duration deadline = RealClock().SteadyNow() + timeout;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  options.fds = {{writing.get(), 1}, {writing.get(), 2}};
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child, ChildProcess::Spawn(options));
  writing.Reset();
  absl::StatusOr<std::string> output = ReadUntil(reading.get(), deadline, output_limit_bytes);
  if (!output.ok()) return Annotate(output.status(), options.argv[0]);
  const std::optional<ExitStatus> exit = child->WaitFor(deadline - RealClock().SteadyNow());
  if (!exit)
    return absl::DeadlineExceededError(absl::StrCat(options.argv[0], ": no end before deadline"));
  return CommandResult{*exit, *std::move(output)};
}

}  // namespace alt::base
