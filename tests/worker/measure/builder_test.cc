#include "worker/measure/builder.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "tests/worker/measure/scripted_codegen.h"

namespace alt::worker {
namespace {

using alt::testing::CodegenScript;
using alt::testing::StatusIs;
using measure::Outcome;

const workload::Workload kMatmul = {workload::Matmul{.m = 16, .n = 16, .k = 16}};
const target::Target kTarget = {.mcpu = "x86-64-v3", .vec_bits = 256};
constexpr absl::Duration kLong = absl::Seconds(60);

bool Never() { return false; }

workload::Candidate CandidateOf(const std::string& text) {
  absl::StatusOr<workload::Candidate> candidate = workload::ParseCandidate(text);
  EXPECT_TRUE(candidate.ok());
  return *candidate;
}

class BuilderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<codegen::Codegen>> llvm = codegen::CreateLlvmCodegen(kTarget);
    ALT_ASSERT_OK(llvm);
    absl::StatusOr<std::string> linker = codegen::FindLinker(getenv("PATH"));
    ALT_ASSERT_OK(linker);
    link_.linker = *linker;
    const auto codegen = std::make_shared<alt::testing::ScriptedCodegen>(*std::move(llvm), script_);
    builder_ = std::make_unique<Builder>(
        [codegen] { return std::make_unique<InProcessCompiler>(codegen); }, link_, 2);
  }

  std::vector<BuildResult> Build(const std::vector<std::string>& texts,
                                 absl::Duration limit = kLong,
                                 absl::FunctionRef<bool()> cancelled = Never) {
    std::vector<workload::Candidate> candidates;
    for (const std::string& text : texts) candidates.push_back(CandidateOf(text));
    return builder_->Build(kMatmul, kTarget, candidates, limit, cancelled);
  }

  static void ExpectFailed(const BuildResult& result, Outcome outcome, const std::string& part) {
    ASSERT_TRUE(std::holds_alternative<Failure>(result.kernel));
    const Failure& failure = std::get<Failure>(result.kernel);
    EXPECT_EQ(measure::OutcomeName(failure.outcome), measure::OutcomeName(outcome));
    EXPECT_NE(failure.message.find(part), std::string::npos) << failure.message;
  }

  std::shared_ptr<CodegenScript> script_ = std::make_shared<CodegenScript>();
  codegen::LinkOptions link_;
  std::unique_ptr<Builder> builder_;
};

TEST_F(BuilderTest, NothingToBuild) { EXPECT_TRUE(Build({}).empty()); }

TEST_F(BuilderTest, BuildsABatchInOrder) {
  std::vector<std::string> texts;
  for (int factor : {1, 2, 4, 8, 16})
    texts.push_back(absl::StrCat("split(matmul.m, ", factor, ")"));
  const std::vector<BuildResult> results = Build(texts);
  ASSERT_EQ(results.size(), texts.size());
  for (const BuildResult& result : results) {
    ASSERT_TRUE(std::holds_alternative<BuiltKernel>(result.kernel));
    const BuiltKernel& kernel = std::get<BuiltKernel>(result.kernel);
    EXPECT_TRUE(kernel.object.valid());
    EXPECT_EQ(kernel.lowered.params.size(), 3U);
    EXPECT_GT(kernel.artifact.facts.code_bytes, 0);
    EXPECT_GT(result.time, absl::ZeroDuration());
  }
}

TEST_F(BuilderTest, ATraceThatDoesNotApplyIsRejectedWithTheReason) {
  const std::vector<BuildResult> results = Build({"split(matmul.q, 4)", "split(matmul.m, 4)"});
  ExpectFailed(results[0], Outcome::kRejected, "q");
  EXPECT_TRUE(std::holds_alternative<BuiltKernel>(results[1].kernel));
}

TEST_F(BuilderTest, AnErrorOfTheCodeGeneratorIsACompileError) {
  script_->Set([](const ir::Module&) { return absl::InternalError("out of registers"); });
  ExpectFailed(Build({""})[0], Outcome::kCompileError, "out of registers");
}

TEST_F(BuilderTest, AnErrorOfTheLinkerIsACompileErrorToo) {
  script_->Set(
      [](const ir::Module&) { return runtime::Artifact{.object = "no object", .name = "kernel"}; });
  ExpectFailed(Build({""})[0], Outcome::kCompileError, "");
}

// A compiler that hangs with its first candidate until it is told to stop.
class HangingCompiler : public Compiler {
 public:
  explicit HangingCompiler(std::atomic<int>& calls) : calls_(calls) {}

  std::variant<runtime::Artifact, Failure> Compile(const workload::CandidateFile&,
                                                   const target::Target&, absl::Duration limit,
                                                   absl::FunctionRef<bool()> cancelled) override {
    ++calls_;
    if (std::exchange(hung_, true)) return Failure{Outcome::kCompileError, "came to its turn"};
    if (limit < kLong) return Failure{Outcome::kCompileTimeout, absl::FormatDuration(limit)};
    while (!cancelled()) std::this_thread::yield();
    return Failure{Outcome::kCancelled, "cancelled"};
  }

 private:
  std::atomic<int>& calls_;
  bool hung_ = false;
};

TEST_F(BuilderTest, ACompilerThatTakesTooLongGoesOnWithTheRest) {
  std::atomic<int> calls = 0;
  builder_ =
      std::make_unique<Builder>([&] { return std::make_unique<HangingCompiler>(calls); }, link_, 2);
  int timeouts = 0;
  for (const BuildResult& result : Build({"", "", "", ""}, absl::Milliseconds(30))) {
    const Failure& failure = std::get<Failure>(result.kernel);
    timeouts += failure.outcome == Outcome::kCompileTimeout && failure.message == "30ms";
  }
  EXPECT_GE(timeouts, 1);  // one a thread that came to work
  EXPECT_LE(timeouts, 2);
  EXPECT_EQ(calls, 4);
}

TEST_F(BuilderTest, CancelledMeansWhatHasNotBegunDoesNotBegin) {
  std::atomic<int> calls = 0;
  builder_ =
      std::make_unique<Builder>([&] { return std::make_unique<HangingCompiler>(calls); }, link_, 2);
  const std::vector<BuildResult> results =
      Build({"", "", "", ""}, kLong, [&] { return calls == 2; });
  for (const BuildResult& result : results) ExpectFailed(result, Outcome::kCancelled, "cancelled");
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace alt::worker
