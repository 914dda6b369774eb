#include "common/base/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::base {
namespace {

using ::alt::testing::StatusIs;

constexpr absl::Duration kLong = absl::Seconds(60);  // far beyond what any of these needs

std::vector<std::string> Shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

// A pipe whose ends are closed on exec, as all of ours are.
struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    reading.Reset(ends[0]);
    writing.Reset(ends[1]);
  }
  // What was written, once nobody holds the writing end.
  std::string Drain() {
    writing.Reset();
    const absl::StatusOr<std::string> text = ReadAll(reading.get(), 1 << 20);
    EXPECT_TRUE(testing::IsOk(text));
    return text.value_or("");
  }
  UniqueFd reading, writing;
};

TEST(ChildProcessTest, ExitCodeIsReported) {
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = Shell("exit 3")}));
  const ExitStatus exit = child->Wait();
  EXPECT_FALSE(exit.ok());
  EXPECT_EQ(exit.ToString(), "exit code 3");
  EXPECT_EQ(child->Wait().code, 3) << "the answer stays";
}

TEST(ChildProcessTest, SignalIsReported) {
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = Shell("kill -SEGV $$")}));
  EXPECT_EQ(child->Wait().ToString(), "signal 11 (Segmentation fault)");
}

TEST(ChildProcessTest, AMissingProgramIsNotFound) {
  EXPECT_TRUE(StatusIs(ChildProcess::Spawn({.argv = {"/no/such/program"}}),
                       absl::StatusCode::kNotFound, "start /no/such/program: exec"));
}

TEST(ChildProcessTest, AnUnusableDescriptorOrDirectoryIsNamed) {
  EXPECT_TRUE(StatusIs(ChildProcess::Spawn({.argv = {"/bin/true"}, .fds = {{900, 3}}}),
                       absl::StatusCode::kFailedPrecondition, "pass a descriptor"));
  EXPECT_TRUE(StatusIs(ChildProcess::Spawn({.argv = {"/bin/true"}, .fds = {{-1, 3}}}),
                       absl::StatusCode::kInvalidArgument, "invalid descriptor"));
  EXPECT_TRUE(StatusIs(ChildProcess::Spawn({.argv = {"/bin/true"}, .working_directory = "/none"}),
                       absl::StatusCode::kNotFound, "chdir"));
  EXPECT_TRUE(StatusIs(ChildProcess::Spawn({}), absl::StatusCode::kInvalidArgument, "empty argv"));
}

TEST(ChildProcessTest, WaitForGivesUpAtItsDeadline) {
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = {"/bin/sleep", "1000"}}));
  EXPECT_EQ(child->WaitFor(absl::Milliseconds(1)), std::nullopt);
  child->Kill();
  EXPECT_EQ(child->Wait().signal, SIGKILL);
}

TEST(ChildProcessTest, DescriptorsMayBeExchanged) {
  Pipe a, b;
  // The child's numbers are the parent's, crossed.
  const int fd_a = a.writing.get(), fd_b = b.writing.get();
  const std::string script =
      "echo a >&" + std::to_string(fd_b) + "; echo b >&" + std::to_string(fd_a);
  if (fd_a > 9 || fd_b > 9) GTEST_SKIP() << "dash redirects only single digits";
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = Shell(script),
                                                            .fds = {{fd_a, fd_b}, {fd_b, fd_a}}}));
  EXPECT_TRUE(child->Wait().ok());
  EXPECT_EQ(a.Drain(), "a\n");
  EXPECT_EQ(b.Drain(), "b\n");
}

TEST(ChildProcessTest, OnlyNamedDescriptorsArePassed) {
  const UniqueFd leaky(fcntl(2, F_DUPFD, 77));  // not close-on-exec
  const UniqueFd passed(fcntl(2, F_DUPFD, 90));
  ALT_ASSERT_OK_AND_ASSIGN(
      auto child,
      ChildProcess::Spawn({.argv = Shell("[ ! -e /proc/self/fd/77 ] && [ -e /proc/self/fd/5 ] && "
                                         "[ ! -e /proc/self/fd/90 ]"),
                           .fds = {{passed.get(), 5}}}));
  EXPECT_TRUE(child->Wait().ok());
}

TEST(ChildProcessTest, StandardInputIsEmptyUnlessGiven) {
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = Shell("! read line")}));
  EXPECT_TRUE(child->Wait().ok());
  Pipe pipe;
  ALT_ASSERT_OK(WriteAll(pipe.writing.get(), "hello\n"));
  ALT_ASSERT_OK_AND_ASSIGN(child,
                           ChildProcess::Spawn({.argv = Shell("read line; [ $line = hello ]"),
                                                .fds = {{pipe.reading.get(), 0}}}));
  EXPECT_TRUE(child->Wait().ok());
}

TEST(ChildProcessTest, ASocketAndAMemfdReachTheChild) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const UniqueFd memory(memfd_create("artifact", MFD_CLOEXEC));
  ALT_ASSERT_OK(WriteAll(memory.get(), "code"));
  ALT_ASSERT_OK_AND_ASSIGN(auto child,
                           ChildProcess::Spawn({.argv = Shell("cat /proc/self/fd/4 >&3"),
                                                .fds = {{theirs.get(), 3}, {memory.get(), 4}}}));
  theirs.Reset();
  ALT_ASSERT_OK_AND_ASSIGN(const std::string echoed, ReadAll(ours.get(), 100));
  EXPECT_EQ(echoed, "code");
  EXPECT_TRUE(child->Wait().ok());
}

TEST(ChildProcessTest, EnvironmentAndDirectoryAreAsGiven) {
  testing::TempDir dir;
  ALT_ASSERT_OK_AND_ASSIGN(
      auto child,
      ChildProcess::Spawn({.argv = Shell("[ \"$A\" = 'x y' ] && [ -z \"$HOME\" ] && : > made"),
                           .env = std::vector<std::string>{"A=x y"},
                           .working_directory = dir.path()}));
  EXPECT_TRUE(child->Wait().ok());
  ALT_EXPECT_OK(ReadFile(dir.File("made")));
}

TEST(ChildProcessTest, KillReachesTheWholeGroup) {
  Pipe pipe;
  ALT_ASSERT_OK_AND_ASSIGN(auto child,
                           ChildProcess::Spawn({.argv = Shell("sleep 1000 & echo up; wait"),
                                                .fds = {{pipe.writing.get(), 1}}}));
  char up[3];
  ASSERT_EQ(read(pipe.reading.get(), up, 3), 3);
  child->Kill();
  // Both the shell and its child held the pipe; Drain returns only when both are gone.
  EXPECT_EQ(pipe.Drain(), "");
  EXPECT_EQ(child->Wait().signal, SIGKILL);
}

TEST(ChildProcessTest, WhatAChildLeavesBehindIsKilled) {
  Pipe pipe;
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = Shell("sleep 1000 & exit 0"),
                                                            .fds = {{pipe.writing.get(), 1}}}));
  EXPECT_TRUE(child->Wait().ok());
  EXPECT_EQ(pipe.Drain(), "");
}

TEST(ChildProcessTest, TheDestructorKills) {
  Pipe pipe;
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = {"/bin/sleep", "1000"},
                                                            .fds = {{pipe.writing.get(), 1}}}));
  child.reset();
  EXPECT_EQ(pipe.Drain(), "");
}

TEST(ChildProcessTest, AChildDiesWithItsSpawningThread) {
  std::unique_ptr<ChildProcess> child;
  std::thread spawner([&] {
    ALT_ASSERT_OK_AND_ASSIGN(child, ChildProcess::Spawn({.argv = {"/bin/sleep", "1000"}}));
  });
  spawner.join();
  ASSERT_NE(child, nullptr);
  const std::optional<ExitStatus> exit = child->WaitFor(kLong);
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->signal, SIGKILL);
}

TEST(ChildProcessTest, AReleasedChildOutlivesUs) {
  Pipe to_child, from_child;
  ALT_ASSERT_OK_AND_ASSIGN(
      auto child,
      ChildProcess::Spawn({.argv = Shell("read line; echo got $line"),
                           .fds = {{to_child.reading.get(), 0}, {from_child.writing.get(), 1}},
                           .dies_with_parent = false}));
  child->Release();
  child.reset();
  ALT_ASSERT_OK(WriteAll(to_child.writing.get(), "it\n"));
  EXPECT_EQ(from_child.Drain(), "got it\n");
}

TEST(ChildProcessTest, BeforeExecRunsInTheChild) {
  const auto limit = [] {
    const rlimit none = {7, 7};
    return setrlimit(RLIMIT_NOFILE, &none) == 0 ? 0 : errno;
  };
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = Shell("[ $(ulimit -n) = 7 ]"),
                                                            .before_exec = limit}));
  EXPECT_TRUE(child->Wait().ok());
  EXPECT_TRUE(
      StatusIs(ChildProcess::Spawn({.argv = {"/bin/true"}, .before_exec = [] { return EPERM; }}),
               absl::StatusCode::kPermissionDenied, "before_exec"));
}

TEST(ChildProcessTest, WithoutDescriptorsNothingStartsAndItIsSaid) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  close(next);
  int refused = 0;
  for (int more = 0;; ++more) {
    ASSERT_LT(more, 20);
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next + more);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    // A descriptor beyond those that are open: the copies have to go above it.
    auto child = ChildProcess::Spawn({.argv = {"/bin/true"}, .fds = {{1, next + 1}}});
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    if (child.ok()) {
      EXPECT_TRUE((*child)->Wait().ok()) << more << " more: " << (*child)->Wait().ToString();
      break;
    }
    ++refused;
  }
  EXPECT_GT(refused, 2);
}

TEST(ChildProcessTest, IgnoredAndBlockedSignalsAreNotInherited) {
  const auto before = signal(SIGTERM, SIG_IGN);
  ALT_ASSERT_OK_AND_ASSIGN(auto child, ChildProcess::Spawn({.argv = Shell("kill -TERM $$")}));
  signal(SIGTERM, before);
  EXPECT_EQ(child->Wait().signal, SIGTERM);
}

TEST(RunCommandTest, OutputAndErrorsAreGathered) {
  ALT_ASSERT_OK_AND_ASSIGN(const CommandResult result,
                           RunCommand(Shell("echo out; echo err >&2; exit 2"), kLong));
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.exit.code, 2);
}

TEST(RunCommandTest, AHangIsCutAtTheDeadline) {
  EXPECT_TRUE(StatusIs(RunCommand({"/bin/sleep", "1000"}, absl::Milliseconds(1)),
                       absl::StatusCode::kDeadlineExceeded, "/bin/sleep"));
}

TEST(RunCommandTest, EndlessOutputIsCutAtItsLimit) {
  EXPECT_TRUE(StatusIs(RunCommand(Shell("while :; do echo x; done"), kLong, 1000),
                       absl::StatusCode::kOutOfRange, "1000 bytes"));
}

}  // namespace
}  // namespace alt::base
