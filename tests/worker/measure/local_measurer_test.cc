#include "worker/measure/local_measurer.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/testing/paths.h"
#include "tests/worker/measure/local_measurer_testing.h"

namespace alt::worker {
namespace {

using alt::testing::CodegenScript;
using alt::testing::ParseCandidateOrDie;
using alt::testing::TempDir;
using measure::MeasureMode;
using measure::MeasureResult;
using measure::Outcome;

bool Never() { return false; }

// c = a b for the small matmul, in C; `store` is how a sum gets to its cell.
std::string MatmulInC(const std::string& store = "c[i * 32 + j] = sum;") {
  return absl::StrCat(
      "const float* a = params[0]; const float* b = params[1]; float* c = params[2];",
      "for (int i = 0; i < 24; i++) for (int j = 0; j < 32; j++) {",
      "  float sum = 0; for (int k = 0; k < 40; k++) sum += a[i * 40 + k] * b[k * 32 + j];", store,
      "}");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

class LocalMeasurerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    measurer_ = alt::testing::MakeLocalMeasurer(dir_.File("lock"), script_, 2);
    request_ = alt::testing::SmallMatmulRequest();
    request_.candidates = {ParseCandidateOrDie("")};
  }

  MeasureResult MeasureOne() {
    std::vector<MeasureResult> results = measurer_->Measure(request_, Never);
    EXPECT_EQ(results.size(), 1U);
    return results.at(0);
  }

  void ExpectOutcome(Outcome outcome, const std::string& part) {
    const MeasureResult result = MeasureOne();
    EXPECT_EQ(measure::OutcomeName(result.outcome), measure::OutcomeName(outcome))
        << result.message;
    EXPECT_NE(result.message.find(part), std::string::npos) << result.message;
    EXPECT_EQ(result.latency.has_value(), outcome == Outcome::kOk);
  }

  // What was wrong with the last candidate must not stick.
  void ExpectTheNextOneIsGood() {
    script_->Set(nullptr);
    ExpectOutcome(Outcome::kOk, "");
  }

  TempDir dir_;
  std::shared_ptr<CodegenScript> script_ = std::make_shared<CodegenScript>();
  std::unique_ptr<LocalMeasurer> measurer_;
  measure::MeasureRequest request_;
};

TEST_F(LocalMeasurerTest, AGoodKernelInCPassesTheCheck) {
  script_->SetC(MatmulInC());
  ExpectOutcome(Outcome::kOk, "");
}

TEST_F(LocalMeasurerTest, LayoutsAlgorithmsAndTracesAreMeasured) {
  request_.workload = {workload::Conv2d{.ic = 8,
                                        .ih = 12,
                                        .iw = 12,
                                        .oc = 16,
                                        .kh = 3,
                                        .kw = 3,
                                        .pad_begin = {1, 1},
                                        .pad_end = {1, 1}}};
  request_.candidates = {
      ParseCandidateOrDie(""),
      ParseCandidateOrDie("layout x: reorder(0,2,3,1)\nlayout y: split(1,16) reorder(0,1,3,4,2)\n"
                          "layout w: reorder(2,3,1,0)"),
      ParseCandidateOrDie("layout xp: unfold(2,6,4)\nlayout y: split(1,5)"),
      ParseCandidateOrDie("algorithm winograd(4,4)"), ParseCandidateOrDie("inline(pad)")};
  for (MeasureMode mode : {MeasureMode::kSearch, MeasureMode::kCompare}) {
    request_.mode = mode;
    for (const MeasureResult& result : measurer_->Measure(request_, Never)) {
      EXPECT_EQ(result.outcome, Outcome::kOk) << result.message;
      EXPECT_GT(result.facts.code_bytes, 0);
    }
  }
}

TEST_F(LocalMeasurerTest, SeveralThreads) {
  request_ = alt::testing::SmallMatmulRequest(2);
  request_.candidates = {ParseCandidateOrDie("parallel(matmul.m)"), ParseCandidateOrDie("")};
  for (const MeasureResult& result : measurer_->Measure(request_, Never)) {
    EXPECT_EQ(result.outcome, Outcome::kOk) << result.message;
  }
}

TEST_F(LocalMeasurerTest, EveryStateOfTheCaches) {
  for (measure::CacheState state :
       {measure::CacheState::kWarm, measure::CacheState::kRotate, measure::CacheState::kCold}) {
    request_.cache = state;
    ExpectOutcome(Outcome::kOk, "");
  }
}

TEST_F(LocalMeasurerTest, ATraceThatDoesNotApplyIsRejected) {
  request_.candidates = {ParseCandidateOrDie("split(matmul.z, 4)")};
  ExpectOutcome(Outcome::kRejected, "z");
}

TEST_F(LocalMeasurerTest, HopelessCodeIsRejectedInASearchAlone) {
  script_->SetC(MatmulInC());
  const CodegenScript::Compile in_c = script_->Get();
  script_->Set([in_c](const ir::Module& module) {
    absl::StatusOr<runtime::Artifact> artifact = in_c(module);
    artifact->facts = {.vector_fmas = 10, .inner_loop_spills = 1000};
    return artifact;
  });
  ExpectOutcome(Outcome::kRejected, "1000 register spills");
  request_.mode = MeasureMode::kCompare;
  ExpectOutcome(Outcome::kOk, "");
}

TEST_F(LocalMeasurerTest, CompileError) {
  script_->Set([](const ir::Module&) { return absl::InternalError("cannot select"); });
  ExpectOutcome(Outcome::kCompileError, "cannot select");
  ExpectTheNextOneIsGood();
}

TEST_F(LocalMeasurerTest, RunTimeoutInTheCheck) {
  request_.limits.run = absl::Milliseconds(200);
  script_->SetC("for (volatile int i = 0;; i++) {}");
  ExpectOutcome(Outcome::kRunTimeout, "no end within");
  request_.limits.run = absl::Seconds(60);
  ExpectTheNextOneIsGood();
}

TEST_F(LocalMeasurerTest, RunTimeoutWhileTiming) {
  request_.limits.run = absl::Milliseconds(500);
  script_->SetC(MatmulInC() + "if (calls++ > 3) for (volatile int i = 0;; i++) {}",
                "static int calls;");
  ExpectOutcome(Outcome::kRunTimeout, "no end within");
}

TEST_F(LocalMeasurerTest, AKernelThatRunsIsGivenUpWhenNobodyWantsItsResult) {
  request_.limits.run = absl::Minutes(10);
  ExpectOutcome(Outcome::kOk, "");  // the reference is there
  script_->SetC("for (volatile int i = 0;; i++) {}");
  for (const MeasureMode mode : {MeasureMode::kSearch, MeasureMode::kCompare}) {
    request_.mode = mode;
    int asked = 0;
    const auto results = measurer_->Measure(request_, [&] { return ++asked > 12; });
    EXPECT_EQ(results.at(0).outcome, Outcome::kCancelled) << results.at(0).message;
  }
  ExpectTheNextOneIsGood();
}

TEST_F(LocalMeasurerTest, Crashed) {
  script_->SetC("*(volatile int*)0x40 = 1;");
  ExpectOutcome(Outcome::kCrashed, "SIGSEGV at address 0x40");
  ExpectTheNextOneIsGood();
}

TEST_F(LocalMeasurerTest, AStoreToAnInputIsACrashThatNamesIt) {
  script_->SetC(MatmulInC() + "((float*)params[1])[7] = 0;");
  ExpectOutcome(Outcome::kCrashed, "store to b, which is read-only");
  ExpectTheNextOneIsGood();
}

TEST_F(LocalMeasurerTest, OutOfMemory) {
  if (kSanitized) GTEST_SKIP() << "no limit on the address space under a sanitizer";
  script_->SetC(MatmulInC(), "", int64_t{100} << 30);
  ExpectOutcome(Outcome::kOomHost, "workspace");
  ExpectTheNextOneIsGood();
}

TEST_F(LocalMeasurerTest, WrongResult) {
  const struct {
    const char* what;
    std::string body;
    const char* message;
  } kKernels[] = {
      {"nothing computed", "(void)0;", "768 of 768 cells are wrong"},
      {"one cell wrong", MatmulInC() + "c[5] += 1;", "1 of 768 cells are wrong, first cell 5"},
      {"tail dropped", MatmulInC("if (j < 31) c[i * 32 + j] = sum;"), "24 of 768"},
      {"one cell too many", MatmulInC() + "c[768] = 1;",
       "out of bounds of c: 0 bytes past the end"},
      {"one cell too early", MatmulInC() + "c[-1] = 1;", "4 bytes before the start"},
      {"reads past an input", MatmulInC("c[i * 32 + j] = sum + 0 * a[24 * 40 + 3];"), "768 of 768"},
  };
  for (const auto& kernel : kKernels) {
    SCOPED_TRACE(kernel.what);
    script_->SetC(kernel.body);
    ExpectOutcome(Outcome::kWrongResult, kernel.message);
    ExpectTheNextOneIsGood();
  }
}

TEST_F(LocalMeasurerTest, RightTheFirstTimeAlone) {
  // Adds to what it finds; what it finds the first time is no number.
  script_->SetC(MatmulInC("float* p = c + i * 32 + j; *p = *p == *p ? *p + sum : sum;"));
  ExpectOutcome(Outcome::kWrongResult, "after many runs");
  request_.mode = MeasureMode::kCompare;
  ExpectOutcome(Outcome::kWrongResult, "after two runs");
}

TEST_F(LocalMeasurerTest, AWorkspaceHoldsNoNumbersAtFirstAndEndsWhereItEnds) {
  const struct {
    const char* what;
    std::string body;
    const char* message;
  } kKernels[] = {
      {"relies on zeros", MatmulInC("c[i * 32 + j] = sum + ((float*)workspace)[3];"), "768 of 768"},
      {"writes past it", MatmulInC() + "((char*)workspace)[256] = 1;", "workspace"},
      {"writes before it", MatmulInC() + "((char*)workspace)[-1] = 1;", "workspace"},
  };
  for (const auto& kernel : kKernels) {
    SCOPED_TRACE(kernel.what);
    script_->SetC(kernel.body, "", 256);
    ExpectOutcome(Outcome::kWrongResult, kernel.message);
    ExpectTheNextOneIsGood();
  }
  script_->SetC(MatmulInC() + "((float*)workspace)[63] = 1;", "", 256);
  ExpectOutcome(Outcome::kOk, "");
}

TEST_F(LocalMeasurerTest, AHostWithoutRoomIsNotTheCandidatesFault) {
  LocalMeasurer::Options options =
      alt::testing::LocalMeasurerOptions(dir_.File("lock"), script_, 2);
  options.link.temp_dir = dir_.File("missing");
  measurer_ = *LocalMeasurer::Create(std::move(options));
  ExpectOutcome(Outcome::kWorkerLost, "missing");
}

TEST_F(LocalMeasurerTest, AHostShortOfDescriptorsIsNeverTheCandidatesFault) {
  ExpectOutcome(Outcome::kOk, "");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  close(next);
  int lost = 0;
  bool good = false;
  // Each turn gets one step further, with operands and an object that are new each time.
  for (int more = 0; !good; ++more) {
    ASSERT_LT(more, 100);
    request_.candidates = {ParseCandidateOrDie(absl::StrCat("layout a: split(0,", more + 1, ")"))};
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next + more);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const MeasureResult result = MeasureOne();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    good = result.outcome == Outcome::kOk;
    lost += result.outcome == Outcome::kWorkerLost;
    EXPECT_TRUE(good || result.outcome == Outcome::kWorkerLost)
        << more << " more: " << measure::OutcomeName(result.outcome) << ": " << result.message;
  }
  EXPECT_GT(lost, 3);
}

TEST_F(LocalMeasurerTest, OperandsThatTakeTooMuchMemoryAreRefused) {
  LocalMeasurer::Options options =
      alt::testing::LocalMeasurerOptions(dir_.File("lock"), script_, 2);
  options.memory_bytes = 1 << 20;
  measurer_ = *LocalMeasurer::Create(std::move(options));
  ExpectOutcome(Outcome::kOk, "");
  request_.candidates = {ParseCandidateOrDie("layout a: split(0,1000000)")};
  ExpectOutcome(Outcome::kOomHost, "this worker uses at most");
  request_.candidates = {ParseCandidateOrDie("")};
  request_.workload = {workload::Matmul{.m = 512, .n = 512, .k = 512}};
  ExpectOutcome(Outcome::kOomHost, "the worker has");
  // Of which the kernel reads a small part.
  request_.workload = {workload::Conv2d{
      .ic = 8, .ih = 256, .iw = 256, .oc = 8, .kh = 1, .kw = 1, .stride = {16, 16}}};
  ExpectOutcome(Outcome::kOomHost, "the worker has");
}

TEST_F(LocalMeasurerTest, ARememberedResultIsImplausibleOrWrong) {
  // The second call returns at once, with the output of the first one still in place.
  script_->SetC("if (done) return; done = 1;" + MatmulInC(), "static int done;");
  ExpectOutcome(Outcome::kImplausible, "at least");
  request_.mode = MeasureMode::kCompare;  // which poisons the output again
  EXPECT_EQ(MeasureOne().outcome, Outcome::kWrongResult);
}

TEST_F(LocalMeasurerTest, FinalistsAreCheckedOnOtherInputsThanTheSearch) {
  // Right for the inputs that the search checks with, which it knows, and for no other.
  HostLoop loop(1, Never);
  absl::StatusOr<std::unique_ptr<Operands>> operands = Operands::Create(request_.workload, 1, loop);
  ALT_ASSERT_OK(operands);
  absl::StatusOr<te::Graph> graph = workload::MakeGraph(request_.workload);
  ALT_ASSERT_OK(graph);
  absl::StatusOr<const GuardedBuffer*> a =
      (*operands)->Input({.tensor = *graph->FindTensor("a")}, {}, 0, nullptr, loop);
  ALT_ASSERT_OK(a);
  std::string known = "static const float known[960] = {";
  for (float cell : (*a)->cells()) absl::StrAppend(&known, cell, ",");
  script_->SetC(
      "for (int i = 0; i < 960; i++) if (((float*)params[0])[i] != known[i]) return;" + MatmulInC(),
      known + "};");
  ExpectOutcome(Outcome::kOk, "");
  request_.mode = MeasureMode::kCompare;
  ExpectOutcome(Outcome::kWrongResult, "768 of 768");
}

TEST_F(LocalMeasurerTest, RacingSparesTheTimeOfSlowOnes) {
  request_.incumbent_ns = 1;
  script_->SetC(MatmulInC());
  const MeasureResult result = MeasureOne();
  EXPECT_EQ(result.outcome, Outcome::kOk);
  EXPECT_TRUE(result.censored);
}

TEST_F(LocalMeasurerTest, WhatItsCheckShowsToBeHopelessIsNotRunAgain) {
  request_.incumbent_ns = 1;
  script_->SetC(MatmulInC() +
                    "if (++calls == 2) *(volatile int*)0x40 = 1;"
                    "for (volatile int i = 0; i < 2000000; i++) {}",
                "static int calls;");
  // A run that others disturbed shows nothing; there are quiet moments.
  MeasureResult result = MeasureOne();
  for (int i = 0; i < 100 && result.outcome != Outcome::kOk; ++i) result = MeasureOne();
  EXPECT_EQ(result.outcome, Outcome::kOk) << result.message;
  EXPECT_TRUE(result.censored);
  EXPECT_EQ(result.latency->n, 1);
  EXPECT_GT(result.seconds.run, 0);
}

TEST_F(LocalMeasurerTest, AnotherDeviceOrTooManyThreadsIsTheWorkersLoss) {
  request_.target.threads = 3;
  ExpectOutcome(Outcome::kWorkerLost, "up to 2 threads");
  request_.target = {.kind = target::TargetKind::kCuda, .mcpu = "sm_90"};
  ExpectOutcome(Outcome::kWorkerLost, "cuda:sm_90");
}

TEST_F(LocalMeasurerTest, SaysThatItComputesTheReference) {
  Activity activity;
  LocalMeasurer::Options options =
      alt::testing::LocalMeasurerOptions(dir_.File("lock"), script_, 2);
  options.activity = &activity;
  measurer_ = *LocalMeasurer::Create(std::move(options));
  request_.workload = {workload::Matmul{.m = 1024, .n = 1024, .k = 4096}};
  std::set<std::string> said;
  // Polled while it runs, also by the reference's runner.
  const auto results = measurer_->Measure(request_, [&] {
    said.insert(activity.Get().what);
    return said.count("computing the reference") > 0;
  });
  EXPECT_EQ(results.at(0).outcome, Outcome::kCancelled) << results.at(0).message;
  EXPECT_EQ(said.count("computing the reference"), 1U);
  EXPECT_EQ(activity.Get().what, "");
}

TEST_F(LocalMeasurerTest, WhereTheTimeWent) {
  const MeasureResult result = MeasureOne();
  EXPECT_GT(result.seconds.build, 0);
  EXPECT_GT(result.seconds.check, 0);
  EXPECT_GT(result.seconds.run, 0);
  EXPECT_GE(result.seconds.wait, 0);
}

TEST_F(LocalMeasurerTest, ManyWorkloadsOneAfterTheOther) {
  for (int64_t m = 8; m < 16; ++m) {
    request_.workload = {workload::Matmul{.m = m, .n = 8, .k = 8}};
    ExpectOutcome(Outcome::kOk, "");
  }
}

TEST_F(LocalMeasurerTest, PeakOfTheMachine) {
  absl::StatusOr<measure::Peak> peak = measurer_->MeasurePeak(2, [] { return false; });
  ALT_ASSERT_OK(peak);
  EXPECT_GT(peak->gflops_1t, 0);
  EXPECT_GT(peak->gflops, 0);
  EXPECT_GT(peak->read_gbs, 0);
  EXPECT_EQ(peak->threads, 2);
}

}  // namespace
}  // namespace alt::worker
