#include "worker/measure/sandboxed_runner.h"

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/worker/c_kernel.h"

namespace alt::worker {
namespace {

using alt::testing::BinDir;
using alt::testing::CompileCKernel;
using measure::Outcome;

constexpr absl::Duration kLong = absl::Seconds(60);
const sandbox::TimingPolicy kShort = {
    .min_batch_ns = 1e3, .cap_ns = 1e7, .stable_batches = 3, .stable_share = 0.5};
const sandbox::TimingPolicy kTurns = {.min_batch_ns = 1e3, .cap_ns = 1e10, .rounds = 3};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// A runner and two operands of 64 floats: x (0), which kernels may read, and y (1).
class SandboxedRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    x_ = Make("x", 0);
    y_ = Make("y", 1);
    for (float& cell : x_->cells()) cell = 3;
  }

  static std::unique_ptr<GuardedBuffer> Make(const std::string& name, int place) {
    absl::StatusOr<std::unique_ptr<GuardedBuffer>> buffer = GuardedBuffer::Create(name, 64, place);
    EXPECT_TRUE(buffer.ok());
    return *std::move(buffer);
  }

  KernelImage Image(const std::string& body, const std::string& prologue = "") {
    absl::StatusOr<base::UniqueFd> fd = base::MemoryFile("kernel", CompileCKernel(body, prologue));
    EXPECT_TRUE(fd.ok());
    objects_.push_back(*std::move(fd));
    return {.object_fd = objects_.back().get(),
            .symbol = alt::testing::kCKernelSymbol,
            .params = {{x_.get(), false}, {y_.get(), true}}};
  }

  // How a kernel fails that is loaded alone and called once.
  Failure FailureOf(const std::string& body, absl::Duration timeout = kLong) {
    runner_.SetKernels({Image(body)});
    const std::optional<Failure> failure = runner_.Run(0, timeout);
    EXPECT_TRUE(failure.has_value());
    return failure.value_or(Failure{});
  }

  // The next candidate must not notice anything.
  void ExpectTheNextOneWorks() {
    runner_.SetKernels({Image("((float*)params[1])[5] = ((float*)params[0])[5] + 1;")});
    y_->Poison();
    const std::optional<Failure> failure = runner_.Run(0, kLong);
    ASSERT_FALSE(failure.has_value()) << failure->message;
    EXPECT_EQ(y_->cells()[5], 4);
  }

  sandbox::Spawner spawner_;
  SandboxedRunner runner_{&spawner_, {.path = BinDir() + "/alt-runner"}};
  std::vector<base::UniqueFd> objects_;
  std::unique_ptr<GuardedBuffer> x_, y_;
};

TEST_F(SandboxedRunnerTest, RunsKernels) {
  ExpectTheNextOneWorks();
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, ARestartForgetsTheProcessAndNothingElse) {
  runner_.SetKernels({Image("((float*)params[1])[0] = ++calls;", "static int calls;")});
  for (float expected : {1, 2}) {
    EXPECT_FALSE(runner_.Run(0, kLong).has_value());
    EXPECT_EQ(y_->cells()[0], expected);
  }
  runner_.Restart();
  EXPECT_FALSE(runner_.Run(0, kLong).has_value());
  EXPECT_EQ(y_->cells()[0], 1);
}

struct BadKernel {
  const char* name;
  const char* body;
  Outcome outcome;
  const char* message;  // a part of it
};

TEST_F(SandboxedRunnerTest, EveryWayToFailHasItsOutcomeAndHarmsNoOther) {
  const BadKernel kernels[] = {
      {"segfault", "*(volatile int*)0x10 = 1;", Outcome::kCrashed, "SIGSEGV at address 0x10"},
      {"abort", "abort();", Outcome::kCrashed, "SIGABRT"},
      {"illegal instruction", "__builtin_trap();", Outcome::kCrashed, "SIGILL"},
      {"division by zero", "volatile int z = 0; z = 5 / z;", Outcome::kCrashed, "SIGFPE"},
      {"stack overflow",
       "volatile char a[1 << 14]; a[0] = 1; kernel_call(params, (void*)a, pool); a[1] = 2;",
       Outcome::kCrashed, "stack overflow"},
      {"exit", "_exit(0);", Outcome::kCrashed, "exited with code 0"},
      {"exit through libc", "exit(0);", Outcome::kCrashed, "exited with code 0"},
      {"a store to an input", "((float*)params[0])[3] = 1;", Outcome::kCrashed,
       "store to x, which is read-only"},
      {"killed", "kill(getpid(), SIGKILL);", Outcome::kOomHost, "SIGKILL"},
      {"ended by a person", "kill(getpid(), SIGTERM);", Outcome::kWorkerLost, "somebody ended"},
      {"stopped by a filter", "kill(getpid(), SIGSYS);", Outcome::kSandboxDenied, "SIGSYS"},
      {"out of CPU time", "kill(getpid(), SIGXCPU);", Outcome::kRunTimeout, "CPU time"},
      {"closes its descriptors", "for (int i = 3; i < 100; i++) close(i);", Outcome::kCrashed,
       "exited with code"},
  };
  for (const BadKernel& kernel : kernels) {
    const Failure failure = FailureOf(kernel.body);
    EXPECT_EQ(measure::OutcomeName(failure.outcome), measure::OutcomeName(kernel.outcome))
        << kernel.name << ": " << failure.message;
    EXPECT_NE(failure.message.find(kernel.message), std::string::npos)
        << kernel.name << ": " << failure.message;
    ExpectTheNextOneWorks();
  }
}

TEST_F(SandboxedRunnerTest, AnEndlessLoopIsKilledInTime) {
  const Failure failure = FailureOf("for (volatile int i = 0;; i++) {}", absl::Milliseconds(50));
  EXPECT_EQ(failure.outcome, Outcome::kRunTimeout);
  EXPECT_NE(failure.message.find("50ms"), std::string::npos) << failure.message;
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, SleepingForEverIsNoWayOutEither) {
  EXPECT_EQ(FailureOf("for (;;) pause();", absl::Milliseconds(50)).outcome, Outcome::kRunTimeout);
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, TimeThatPassesBeforeTheKernelIsCalledIsNotTheKernels) {
  runner_.SetKernels({Image("(void)0;",
                            "__attribute__((constructor)) static void Load(void) {"
                            "  kill(getpid(), SIGXCPU); }")});
  const std::optional<Failure> failure = runner_.Run(0, kLong);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->outcome, Outcome::kWorkerLost) << failure->message;
  EXPECT_NE(failure->message.find("called no kernel"), std::string::npos) << failure->message;
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, TakingAllMemoryIsOutOfMemory) {
  if (kSanitized) GTEST_SKIP() << "no limit on the address space under a sanitizer";
  runner_.SetMemoryLimit(int64_t{256} << 20);
  const Failure failure = FailureOf("for (;;) *(volatile char*)malloc(1 << 20) = 1;");
  EXPECT_EQ(failure.outcome, Outcome::kOomHost);
  EXPECT_NE(failure.message.find("256 MiB"), std::string::npos) << failure.message;
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, AWorkspaceThatDoesNotFitIsOutOfMemory) {
  if (kSanitized) GTEST_SKIP() << "no limit on the address space under a sanitizer";
  KernelImage image = Image("(void)0;");
  image.workspace_bytes = int64_t{100} << 30;
  runner_.SetKernels({image});
  const std::optional<Failure> failure = runner_.Run(0, kLong);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->outcome, Outcome::kOomHost);
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, AnObjectThatCannotBeLoadedDidNotCompile) {
  absl::StatusOr<base::UniqueFd> fd = base::MemoryFile("kernel", "nonsense");
  ALT_ASSERT_OK(fd);
  runner_.SetKernels({{.object_fd = fd->get(), .symbol = "kernel_call"}});
  EXPECT_EQ(runner_.Run(0, kLong)->outcome, Outcome::kCompileError);
  KernelImage image = Image("(void)0;");
  image.symbol = "nobody";
  runner_.SetKernels({image});
  EXPECT_EQ(runner_.Run(0, kLong)->outcome, Outcome::kCompileError);
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, TimesAKernelAlone) {
  runner_.SetKernels({Image("for (volatile int i = 0; i < 100; i++) {}")});
  const auto timing = runner_.TimeAlone(0, kShort, kLong);
  ASSERT_TRUE(std::holds_alternative<SandboxedRunner::Timing>(timing));
  EXPECT_FALSE(std::get<SandboxedRunner::Timing>(timing).samples.empty());
  EXPECT_FALSE(std::get<SandboxedRunner::Timing>(timing).censored);
}

TEST_F(SandboxedRunnerTest, ACrashInTheMiddleOfTimingIsAFailure) {
  runner_.SetKernels({Image("if (++calls == 10) abort();", "static int calls;")});
  const auto timing = runner_.TimeAlone(0, kShort, kLong);
  ASSERT_TRUE(std::holds_alternative<Failure>(timing));
  EXPECT_EQ(std::get<Failure>(timing).outcome, Outcome::kCrashed);
  ExpectTheNextOneWorks();
}

TEST_F(SandboxedRunnerTest, InTurnsTheGuiltyOneIsTakenOut) {
  const std::string good = "for (volatile int i = 0; i < 100; i++) {}";
  runner_.SetKernels(
      {Image(good), Image("if (++calls == 3) abort();", "static int calls;"), Image(good)});
  const auto timings = runner_.TimeInTurns({0, 1, 2}, kTurns, kLong);
  ASSERT_EQ(timings.size(), 3U);
  for (size_t good_one : {0, 2}) {
    ASSERT_TRUE(std::holds_alternative<SandboxedRunner::Timing>(timings[good_one]));
    const auto& samples = std::get<SandboxedRunner::Timing>(timings[good_one]).samples;
    EXPECT_GE(samples.size(), 3U);
    for (const sandbox::Sample& sample : samples) EXPECT_GT(sample.anchor_gflops, 0);
  }
  ASSERT_TRUE(std::holds_alternative<Failure>(timings[1]));
  EXPECT_EQ(std::get<Failure>(timings[1]).outcome, Outcome::kCrashed);
}

TEST_F(SandboxedRunnerTest, InTurnsALongKernelIsTimedByTheRunThatWouldWarmItUp) {
  sandbox::TimingPolicy policy = kTurns;
  policy.cap_ns = 1;  // whatever it takes is long
  runner_.SetKernels({Image("for (volatile int i = 0; i < 100; i++) {}"),
                      Image("for (volatile int i = 0; i < 100; i++) {}")});
  for (const auto& timing : runner_.TimeInTurns({0, 1}, policy, kLong)) {
    ASSERT_TRUE(std::holds_alternative<SandboxedRunner::Timing>(timing));
    const auto& samples = std::get<SandboxedRunner::Timing>(timing).samples;
    ASSERT_EQ(samples.size(), 1U);
    EXPECT_EQ(samples[0].runs, 1);
    EXPECT_GT(samples[0].anchor_gflops, 0);
  }
}

TEST_F(SandboxedRunnerTest, KernelsThatAreGoneTakeNoMemory) {
  // More workspace in turns than the limit holds at once.
  runner_.SetMemoryLimit(int64_t{512} << 20);
  for (int i = 0; i < 2; ++i) {
    KernelImage first = Image("for (volatile int i = 0; i < 100; i++) {}"),
                second = Image("for (volatile int i = 0; i < 100; i++) {}");
    second.workspace_bytes = int64_t{200} << 20;
    runner_.SetKernels({first, second});
    EXPECT_FALSE(runner_.Run(1, kLong).has_value());
    runner_.SetKernels({first});
    first.workspace_bytes = int64_t{400} << 20;
    runner_.SetKernels({first});
    EXPECT_FALSE(runner_.Run(0, kLong).has_value());
  }
}

TEST_F(SandboxedRunnerTest, ARunnerThatServesManyKernelsHasNoMoreMappingsThanOneThatServedFew) {
  // Each kernel has an object and operands of its own, as candidates of a long search do, and
  // counts the mappings of its process.
  const std::string count_mappings =
      "int fd = open(\"/proc/self/maps\", O_RDONLY); char c[4096]; int lines = 0; long n;"
      "while ((n = read(fd, c, sizeof(c))) > 0) for (long i = 0; i < n; i++) lines += c[i] == "
      "'\\n';"
      "close(fd); ((float*)params[1])[0] = lines;";
  std::vector<float> mappings;
  for (int i = 0; i < 300; ++i) {
    runner_.SetKernels({});
    x_ = Make("x", 0);
    y_ = Make("y", 1);
    runner_.SetKernels({Image(count_mappings, "#include <fcntl.h>")});
    objects_.erase(objects_.begin(), objects_.end() - 1);
    ASSERT_FALSE(runner_.Run(0, kLong).has_value());
    mappings.push_back(y_->cells()[0]);
  }
  EXPECT_GT(mappings[0], 10);
  EXPECT_LE(mappings[299], mappings[100]);
}

TEST_F(SandboxedRunnerTest, OperandsThatComeBackAreAttachedAgain) {
  const std::unique_ptr<GuardedBuffer> x = std::move(x_), y = std::move(y_);
  for (int i = 0; i < 100; ++i) {
    runner_.SetKernels({});
    x_ = Make("x", 0);
    y_ = Make("y", 1);
    runner_.SetKernels({Image("((float*)params[1])[0] = ((float*)params[0])[0];")});
    ASSERT_FALSE(runner_.Run(0, kLong).has_value());
  }
  KernelImage image = Image("((float*)params[1])[0] = ((float*)params[0])[0];");
  image.params = {{x.get(), false}, {y.get(), true}};
  x->cells()[0] = 5;
  runner_.SetKernels({image});
  ASSERT_FALSE(runner_.Run(0, kLong).has_value());
  EXPECT_EQ(y->cells()[0], 5);
  runner_.SetKernels({});
}

TEST_F(SandboxedRunnerTest, WhenAllFailAllSaySo) {
  runner_.SetKernels({Image("abort();"), Image("_exit(3);")});
  const auto timings = runner_.TimeInTurns({0, 1}, kTurns, kLong);
  for (const auto& timing : timings) {
    ASSERT_TRUE(std::holds_alternative<Failure>(timing));
    EXPECT_EQ(std::get<Failure>(timing).outcome, Outcome::kCrashed);
  }
}

TEST_F(SandboxedRunnerTest, PeaksWithAndWithoutMemory) {
  absl::StatusOr<sandbox::PeakReply> peak = runner_.MeasurePeak();
  ALT_ASSERT_OK(peak);
  EXPECT_GT(peak->gflops, 0);
  EXPECT_GT(peak->l1_read_gbs, 0);
  EXPECT_EQ(peak->read_gbs, 0);
  EXPECT_EQ(peak->cache_read_gbs[0], 0);
  peak = runner_.MeasurePeak(CacheSizes{.l1 = 32 << 10, .l2 = 1 << 20});
  ALT_ASSERT_OK(peak);
  EXPECT_GT(peak->read_gbs, 0);
  EXPECT_GT(peak->cache_read_gbs[0], 0);
  EXPECT_GT(peak->cache_read_gbs[1], 0);
  EXPECT_EQ(peak->cache_read_gbs[2], 0) << "not known";
}

TEST_F(SandboxedRunnerTest, WithoutARunnerTheWorkerIsAtFault) {
  SandboxedRunner nowhere(&spawner_, {.path = "/nowhere/alt-runner"});
  nowhere.SetKernels({Image("(void)0;")});
  EXPECT_EQ(nowhere.Run(0, kLong)->outcome, Outcome::kWorkerLost);
  EXPECT_FALSE(nowhere.MeasurePeak().ok());
}

}  // namespace
}  // namespace alt::worker
