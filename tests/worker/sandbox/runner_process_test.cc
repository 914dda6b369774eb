#include "worker/sandbox/runner_process.h"

#include <signal.h>
#include <string.h>

#include <algorithm>
#include <thread>

#include "common/base/file.h"
#include "common/runtime/cpu/cpu_list.h"
#include "tests/testing/paths.h"
#include "tests/worker/c_kernel.h"
#include "worker/sandbox/stopping_rule.h"

namespace alt::sandbox {
namespace {

using alt::testing::BinDir;
using alt::testing::CompileCKernel;
using alt::testing::StatusIs;

constexpr absl::Duration kLong = absl::Seconds(60);  // for what should take no time at all
constexpr int64_t kOperandBytes = 4096;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// A runner with one operand of a page: buffer 1, which is parameter 0 of every kernel.
class RunnerProcessTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(1); }

  void Start(int threads, int64_t address_space_bytes = int64_t{1} << 30,
             int64_t open_files = 256) {
    RunnerOptions options{
        .path = BinDir() + "/alt-runner",
        .cpus = runtime::ChooseCpus(runtime::AllowedCpus(), threads),
        .limits = {.address_space_bytes = address_space_bytes, .open_files = open_files}};
    absl::StatusOr<std::unique_ptr<RunnerProcess>> runner = RunnerProcess::Start(spawner_, options);
    ALT_ASSERT_OK(runner);
    runner_ = *std::move(runner);
    absl::StatusOr<SharedMemory> operand = SharedMemory::Create("operand", kOperandBytes);
    ALT_ASSERT_OK(operand);
    operand_.emplace(*std::move(operand));
    Request request = {.command = Command::kAttach, .cpu_seconds = 10};
    request.attach = {
        .buffer = 1, .bytes = static_cast<int64_t>(operand_->bytes()), .writable = true};
    ExpectDone(runner_->Call(request, operand_->fd(), kLong));
  }

  static void ExpectDone(const std::variant<Reply, RunnerEnd>& answer) {
    ASSERT_TRUE(std::holds_alternative<Reply>(answer));
    const Reply& reply = std::get<Reply>(answer);
    EXPECT_EQ(reply.status, ReplyStatus::kDone) << reply.message;
  }

  std::variant<Reply, RunnerEnd> Load(const std::string& object, int kernel = 0,
                                      int64_t workspace_bytes = 0) {
    absl::StatusOr<base::UniqueFd> fd = base::MemoryFile("kernel", object);
    EXPECT_TRUE(fd.ok());
    Request request = {.command = Command::kLoad, .cpu_seconds = 10};
    request.load = {.kernel = kernel, .num_params = 1, .workspace_bytes = workspace_bytes};
    request.load.params[0] = {.buffer = 1, .offset = 0, .bytes = kOperandBytes};
    strcpy(request.load.symbol, alt::testing::kCKernelSymbol);
    return runner_->Call(request, fd->get(), kLong);
  }

  std::variant<Reply, RunnerEnd> Run(int kernel = 0, absl::Duration timeout = kLong,
                                     int cpu_seconds = 10) {
    Request request = {.command = Command::kRun, .cpu_seconds = cpu_seconds};
    request.kernel = {.kernel = kernel};
    return runner_->Call(request, -1, timeout);
  }

  // Loads and runs a kernel that ends its runner.
  RunnerEnd EndBy(const std::string& body, const std::string& prologue = "") {
    ExpectDone(Load(CompileCKernel(body, prologue)));
    const std::variant<Reply, RunnerEnd> answer = Run();
    if (std::holds_alternative<RunnerEnd>(answer)) return std::get<RunnerEnd>(answer);
    ADD_FAILURE() << "it lives: " << std::get<Reply>(answer).message;
    return {};
  }

  int* Operand() { return reinterpret_cast<int*>(operand_->data()); }

  Spawner spawner_;
  std::unique_ptr<RunnerProcess> runner_;
  std::optional<SharedMemory> operand_;
};

TEST_F(RunnerProcessTest, RunsAKernelOnSharedMemory) {
  Operand()[0] = 41;
  ExpectDone(Load(CompileCKernel("((int*)params[0])[0]++;")));
  ExpectDone(Run());
  EXPECT_EQ(Operand()[0], 42);
}

TEST_F(RunnerProcessTest, ServesManyKernelsOneAfterTheOther) {
  for (int i = 0; i < 20; ++i) {
    const std::string body = "((int*)params[0])[1] += " + std::to_string(i % 2 + 1) + ";";
    ExpectDone(Load(CompileCKernel(body)));
    ExpectDone(Run());
  }
  EXPECT_EQ(Operand()[1], 30);
}

TEST_F(RunnerProcessTest, HoldsSeveralKernelsAtOnce) {
  ExpectDone(Load(CompileCKernel("((int*)params[0])[0] = 1;"), 0));
  ExpectDone(Load(CompileCKernel("((int*)params[0])[1] = 2;"), 1));
  ExpectDone(Run(1));
  EXPECT_EQ(Operand()[0], 0);
  EXPECT_EQ(Operand()[1], 2);
  ExpectDone(Run(0));
  EXPECT_EQ(Operand()[0], 1);
}

TEST_F(RunnerProcessTest, OneThreadMeansNoPool) {
  ExpectDone(Load(CompileCKernel("((int*)params[0])[0] = pool == 0 ? 1 : 2;")));
  ExpectDone(Run());
  EXPECT_EQ(Operand()[0], 1);
}

TEST_F(RunnerProcessTest, SeveralThreadsShareTheWorkThroughThePool) {
  Start(2);
  ExpectDone(Load(CompileCKernel(
      "((int*)params[0])[10] = pool->threads; pool->parallel_for(pool, loop, params[0], 2);",
      "static void loop(void* c, int64_t b, int64_t e, int t) {"
      "  for (; b < e; b++) ((int*)c)[b] = 100 + t; }")));
  ExpectDone(Run());
  EXPECT_EQ(Operand()[10], 2);
  EXPECT_EQ(Operand()[0], 100);
  EXPECT_EQ(Operand()[1], 101);
}

TEST_F(RunnerProcessTest, EachThreadHasAWorkspace) {
  Start(2);
  ExpectDone(Load(CompileCKernel("((int*)params[0])[0] = (uintptr_t)workspace % 64 == 0;"
                                 "memset(workspace, 1, 2 * 3000);"),
                  0, 3000));
  ExpectDone(Run());
  EXPECT_EQ(Operand()[0], 1);
}

TEST_F(RunnerProcessTest, ASegfaultTellsItsAddress) {
  const RunnerEnd end = EndBy("*(volatile int*)0x1234 = 1;");
  EXPECT_TRUE(end.exit.signaled);
  EXPECT_EQ(end.exit.signal, SIGSEGV);
  EXPECT_EQ(end.running, 0);
  ASSERT_TRUE(end.fault.has_value());
  EXPECT_EQ(end.fault->address, 0x1234);
  EXPECT_EQ(end.fault->buffer, -1);
  EXPECT_FALSE(end.fault->stack_overflow);
  EXPECT_FALSE(end.fault->out_of_memory);
  EXPECT_FALSE(runner_->alive());
}

TEST_F(RunnerProcessTest, AStoreToAReadOnlyOperandIsASegfaultInIt) {
  Request request = {.command = Command::kAttach, .cpu_seconds = 10};
  request.attach = {.buffer = 2, .bytes = kOperandBytes, .writable = false};
  ExpectDone(runner_->Call(request, operand_->fd(), kLong));
  absl::StatusOr<base::UniqueFd> fd =
      base::MemoryFile("k", CompileCKernel("((char*)params[0])[8] = 1;"));
  ALT_ASSERT_OK(fd);
  request = {.command = Command::kLoad, .cpu_seconds = 10};
  request.load = {.kernel = 3, .num_params = 1};
  request.load.params[0] = {.buffer = 2, .offset = 64, .bytes = 64};
  strcpy(request.load.symbol, alt::testing::kCKernelSymbol);
  ExpectDone(runner_->Call(request, fd->get(), kLong));
  const std::variant<Reply, RunnerEnd> answer = Run(3);
  ASSERT_TRUE(std::holds_alternative<RunnerEnd>(answer));
  const RunnerEnd& end = std::get<RunnerEnd>(answer);
  EXPECT_EQ(end.running, 3);
  ASSERT_TRUE(end.fault.has_value());
  EXPECT_EQ(end.fault->buffer, 2);
  EXPECT_EQ(end.fault->offset, 72);
}

TEST_F(RunnerProcessTest, ACrashOnAnotherThreadIsReportedToo) {
  Start(2);
  const RunnerEnd end = EndBy("pool->parallel_for(pool, loop, 0, 2);",
                              "static void loop(void* c, int64_t b, int64_t e, int t) {"
                              "  if (t == 1) *(volatile int*)0x99 = 1; }");
  EXPECT_EQ(end.exit.signal, SIGSEGV);
  ASSERT_TRUE(end.fault.has_value());
  EXPECT_EQ(end.fault->address, 0x99);
}

TEST_F(RunnerProcessTest, AStackOverflowIsToldFromOtherFaults) {
  const RunnerEnd end = EndBy("((int*)params[0])[0] = deep(1 << 30);",
                              "static int deep(int n) { volatile char a[3000]; a[n % 3000] = n;"
                              "  return n == 0 ? 0 : deep(n - 1) + a[(n * 7) % 3000]; }");
  EXPECT_EQ(end.exit.signal, SIGSEGV);
  ASSERT_TRUE(end.fault.has_value());
  EXPECT_TRUE(end.fault->stack_overflow);
}

TEST_F(RunnerProcessTest, OtherDeadlySignals) {
  EXPECT_EQ(EndBy("abort();").exit.signal, SIGABRT);
  Start(1);
  EXPECT_EQ(EndBy("__builtin_trap();").exit.signal, SIGILL);
  Start(1);
  EXPECT_EQ(EndBy("volatile int zero = 0; ((int*)params[0])[0] = 5 / zero;").exit.signal, SIGFPE);
  Start(1);
  EXPECT_EQ(EndBy("kill(getpid(), SIGKILL);").exit.signal, SIGKILL);
}

TEST_F(RunnerProcessTest, ExitInsteadOfReturning) {
  const RunnerEnd end = EndBy("_exit(0);");
  EXPECT_FALSE(end.exit.signaled);
  EXPECT_EQ(end.exit.code, 0);
  EXPECT_FALSE(end.timed_out);
}

TEST_F(RunnerProcessTest, AnEndlessKernelIsKilledAtTheDeadline) {
  ExpectDone(Load(CompileCKernel("for (volatile int i = 0;; i++) {}")));
  const std::variant<Reply, RunnerEnd> answer = Run(0, absl::Milliseconds(50));
  ASSERT_TRUE(std::holds_alternative<RunnerEnd>(answer));
  EXPECT_TRUE(std::get<RunnerEnd>(answer).timed_out);
  EXPECT_EQ(std::get<RunnerEnd>(answer).exit.signal, SIGKILL);
  EXPECT_EQ(std::get<RunnerEnd>(answer).running, 0);
}

TEST_F(RunnerProcessTest, WhateverAKernelStartedIsKilledWithIt) {
  // The child holds a pipe whose end we see when it is gone.
  ExpectDone(
      Load(CompileCKernel("((int*)params[0])[0] = fork(); if (((int*)params[0])[0] == 0) "
                          "for (;;) pause(); for (;;) pause();")));
  const std::variant<Reply, RunnerEnd> answer = Run(0, absl::Milliseconds(100));
  ASSERT_TRUE(std::holds_alternative<RunnerEnd>(answer));
  const pid_t grandchild = Operand()[0];
  if (grandchild > 0) {
    // Killed; it may still wait for its reaper, where signal 0 finds it. A second kill is harmless.
    siginfo_t info;
    const bool gone = kill(grandchild, 0) != 0 || waitid(P_PID, grandchild, &info, WEXITED) != 0;
    EXPECT_TRUE(gone);
  }
}

TEST_F(RunnerProcessTest, UsedUpMemoryIsSeen) {
  if (kSanitized) GTEST_SKIP() << "no limit on the address space under a sanitizer";
  Start(1, int64_t{256} << 20);
  const RunnerEnd end = EndBy("for (;;) *(volatile char*)malloc(1 << 20) = 1;");
  ASSERT_TRUE(end.fault.has_value());
  EXPECT_TRUE(end.fault->out_of_memory);
}

TEST_F(RunnerProcessTest, AWorkspaceBeyondTheLimitIsOutOfMemory) {
  if (kSanitized) GTEST_SKIP() << "no limit on the address space under a sanitizer";
  const std::variant<Reply, RunnerEnd> answer =
      Load(CompileCKernel("(void)0;"), 0, int64_t{8} << 30);
  ASSERT_TRUE(std::holds_alternative<Reply>(answer));
  EXPECT_EQ(std::get<Reply>(answer).status, ReplyStatus::kOutOfMemory);
  EXPECT_TRUE(runner_->alive());
}

TEST_F(RunnerProcessTest, TooMuchTimeOnTheCpuEndsIt) {
  ExpectDone(Load(CompileCKernel("for (volatile int i = 0;; i++) {}")));
  // A second of CPU time, whoever watches the clock: the worker might have been stopped.
  const std::variant<Reply, RunnerEnd> answer = Run(0, kLong, 1);
  ASSERT_TRUE(std::holds_alternative<RunnerEnd>(answer));
  EXPECT_FALSE(std::get<RunnerEnd>(answer).timed_out);
  EXPECT_EQ(std::get<RunnerEnd>(answer).exit.signal, SIGXCPU);
}

TEST_F(RunnerProcessTest, GarbageIsABadKernelAndNotLoaded) {
  const std::variant<Reply, RunnerEnd> answer = Load("this is no shared object");
  ASSERT_TRUE(std::holds_alternative<Reply>(answer));
  EXPECT_EQ(std::get<Reply>(answer).status, ReplyStatus::kBadKernel);
  EXPECT_NE(std::string(std::get<Reply>(answer).message).find("dlopen"), std::string::npos);
}

TEST_F(RunnerProcessTest, WithoutDescriptorsItRefusesAndBlamesNoKernel) {
  Start(1, int64_t{1} << 30, /*open_files=*/8);
  const std::string object = CompileCKernel("((int*)params[0])[0] = 1;");
  int loaded = 0;
  for (ReplyStatus status = ReplyStatus::kDone; status == ReplyStatus::kDone; ++loaded) {
    ASSERT_LT(loaded, 8);
    const std::variant<Reply, RunnerEnd> answer = Load(object, loaded);
    ASSERT_TRUE(std::holds_alternative<Reply>(answer));
    status = std::get<Reply>(answer).status;
    EXPECT_NE(status, ReplyStatus::kBadKernel);
  }
  EXPECT_GT(loaded, 1);
}

TEST_F(RunnerProcessTest, WhatIsNotThereIsRefused) {
  const std::variant<Reply, RunnerEnd> no_kernel = Run(5);
  EXPECT_EQ(std::get<Reply>(no_kernel).status, ReplyStatus::kRefused);
  const std::variant<Reply, RunnerEnd> out_of_range = Run(kMaxKernels);
  EXPECT_EQ(std::get<Reply>(out_of_range).status, ReplyStatus::kRefused);
  Request request = {.command = Command::kAttach, .cpu_seconds = 10};
  request.attach = {.buffer = 9, .bytes = 100, .writable = true};
  const std::variant<Reply, RunnerEnd> no_memory = runner_->Call(request, -1, kLong);
  EXPECT_EQ(std::get<Reply>(no_memory).status, ReplyStatus::kRefused);
}

TEST_F(RunnerProcessTest, CallsAfterTheEndFailAtOnce) {
  EndBy("abort();");
  const std::variant<Reply, RunnerEnd> answer = Run();
  ASSERT_TRUE(std::holds_alternative<RunnerEnd>(answer));
  EXPECT_EQ(std::get<RunnerEnd>(answer).exit.signal, SIGABRT);
}

TEST_F(RunnerProcessTest, TimesOneKernelUntilItIsStable) {
  ExpectDone(Load(CompileCKernel("for (volatile int i = 0; i < 1000; i++) {}")));
  Request request = {.command = Command::kTime, .cpu_seconds = 10};
  request.time = {.num_kernels = 1, .anchor = false};
  request.time.policy = {
      .min_batch_ns = 1e4, .cap_ns = 1e9, .stable_batches = 3, .stable_share = 0.5};
  ExpectDone(runner_->Call(request, -1, kLong));
  const std::vector<Sample> samples = runner_->TakeSamples();
  ASSERT_GE(samples.size(), 4U);
  for (const Sample& sample : samples) {
    EXPECT_EQ(sample.kernel, 0);
    EXPECT_GT(sample.ns, 0);
    EXPECT_EQ(sample.anchor_gflops, 0);
  }
}

TEST_F(RunnerProcessTest, ASlowKernelIsLetGoAfterTheFirstRunThatNobodyDisturbed) {
  ExpectDone(Load(
      CompileCKernel("((int*)params[0])[0]++; for (volatile int i = 0; i < 1000000; i++) {}")));
  Request request = {.command = Command::kTime, .cpu_seconds = 10};
  request.time = {.num_kernels = 1};
  request.time.policy = {.min_batch_ns = 1e4,
                         .cap_ns = 1e12,
                         .stable_batches = 1000,
                         .stable_share = 0.5,
                         .incumbent_ns = 1};
  const std::variant<Reply, RunnerEnd> answer = runner_->Call(request, -1, kLong);
  ExpectDone(answer);
  EXPECT_EQ(std::get<Reply>(answer).stop, static_cast<int>(StopReason::kCensored));
  const std::vector<Sample> samples = runner_->TakeSamples();
  ASSERT_FALSE(samples.empty());
  EXPECT_FALSE(samples.back().disturbed);
  for (size_t i = 0; i + 1 < samples.size(); ++i) EXPECT_TRUE(samples[i].disturbed);
  EXPECT_EQ(Operand()[0], static_cast<int>(samples.size()));
}

TEST_F(RunnerProcessTest, TimesSeveralInTurnsWithTheAnchor) {
  for (int k : {0, 1, 2}) {
    ExpectDone(Load(CompileCKernel("for (volatile int i = 0; i < 1000; i++) {}"), k));
  }
  Request request = {.command = Command::kTime, .cpu_seconds = 10};
  request.time = {.num_kernels = 3, .kernels = {2, 0, 1}, .anchor = true};
  request.time.policy = {.min_batch_ns = 1e4, .cap_ns = 1e10, .rounds = 4};
  ExpectDone(runner_->Call(request, -1, kLong));
  const std::vector<Sample> samples = runner_->TakeSamples();
  ASSERT_GE(samples.size(), 12U);
  for (size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].kernel, (std::vector<int>{2, 0, 1})[i % 3]);
    EXPECT_GT(samples[i].anchor_gflops, 0);
  }
}

TEST_F(RunnerProcessTest, RotatingCopiesLeaveTheOperandAlone) {
  ExpectDone(Load(CompileCKernel("((int*)params[0])[0]++;")));
  Request request = {.command = Command::kTime, .cpu_seconds = 10};
  request.time = {.num_kernels = 1};
  request.time.policy = {.min_batch_ns = 1e3,
                         .cap_ns = 1e6,
                         .stable_batches = 3,
                         .stable_share = 0.5,
                         .caches = Caches::kRotate,
                         .rotate_bytes = 16 * kOperandBytes};
  ExpectDone(runner_->Call(request, -1, kLong));
  int64_t runs = 0;
  for (const Sample& sample : runner_->TakeSamples()) runs += sample.runs;
  EXPECT_LT(Operand()[0], runs);  // of 17 sets of operands one is the attached one
}

TEST_F(RunnerProcessTest, ColdRunsAreSingleOnes) {
  ExpectDone(Load(CompileCKernel("((int*)params[0])[0]++;")));
  Request request = {.command = Command::kTime, .cpu_seconds = 10};
  request.time = {.num_kernels = 1};
  request.time.policy = {.min_batch_ns = 1e6,
                         .cap_ns = 1e6,
                         .stable_batches = 3,
                         .stable_share = 0.5,
                         .caches = Caches::kCold,
                         .flush_bytes = 1 << 20};
  ExpectDone(runner_->Call(request, -1, kLong));
  for (const Sample& sample : runner_->TakeSamples()) EXPECT_EQ(sample.runs, 1);
}

TEST_F(RunnerProcessTest, PeaksArePositive) {
  Request request = {.command = Command::kPeak, .cpu_seconds = 60};
  request.peak = {.memory = true};
  const std::variant<Reply, RunnerEnd> answer = runner_->Call(request, -1, kLong);
  ExpectDone(answer);
  const PeakReply& peak = std::get<Reply>(answer).peak;
  for (double speed : {peak.gflops_1t, peak.gflops, peak.l1_read_gbs, peak.read_gbs}) {
    EXPECT_GT(speed, 0);
  }
}

TEST_F(RunnerProcessTest, OutlivesTheThreadThatAskedForIt) {
  std::thread([this] { Start(1); }).join();
  ExpectDone(Load(CompileCKernel("((int*)params[0])[0] = 5;")));
  ExpectDone(Run());
  EXPECT_EQ(Operand()[0], 5);
}

TEST(RunnerStartTest, AProgramThatIsNotThere) {
  Spawner spawner;
  EXPECT_TRUE(StatusIs(RunnerProcess::Start(spawner, {.path = "/nowhere/alt-runner", .cpus = {0}}),
                       absl::StatusCode::kNotFound, "/nowhere/alt-runner"));
}

TEST(RunnerStartTest, AProgramThatIsNoRunner) {
  Spawner spawner;
  EXPECT_TRUE(StatusIs(RunnerProcess::Start(spawner, {.path = "/bin/true", .cpus = {0}}),
                       absl::StatusCode::kUnavailable, "exit code 0"));
}

TEST(RunnerStartTest, NoThreads) {
  Spawner spawner;
  EXPECT_TRUE(StatusIs(RunnerProcess::Start(spawner, {.path = "/bin/true", .cpus = {}}),
                       absl::StatusCode::kInvalidArgument, "0 threads"));
}

}  // namespace
}  // namespace alt::sandbox
