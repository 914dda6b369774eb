#include "worker/measure/builder.h"

#include <atomic>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
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
    builder_ = std::make_unique<Builder>(
        std::make_shared<alt::testing::ScriptedCodegen>(*std::move(llvm), script_), link_, 2);
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

TEST_F(BuilderTest, ACompilerThatHangsIsGivenUpAndTheRestIsBuilt) {
  // The first two kernels hang, which is both threads; they are released at the end.
  auto release = std::make_shared<absl::Notification>();
  auto calls = std::make_shared<std::atomic<int>>(0);
  auto hung = std::make_shared<absl::BlockingCounter>(2);
  script_->Set([=](const ir::Module&) -> absl::StatusOr<runtime::Artifact> {
    if (calls->fetch_add(1) >= 2) return absl::InternalError("came to its turn");
    release->WaitForNotification();
    hung->DecrementCount();
    return absl::InternalError("too late");
  });
  const std::vector<BuildResult> results = Build({"", "", "", ""}, absl::Milliseconds(30));
  int timeouts = 0;
  for (const BuildResult& result : results) {
    const Failure& failure = std::get<Failure>(result.kernel);
    if (failure.outcome == Outcome::kCompileTimeout) {
      ++timeouts;
      EXPECT_NE(failure.message.find("30ms"), std::string::npos) << failure.message;
    } else {
      EXPECT_EQ(failure.message, "came to its turn");
    }
  }
  EXPECT_EQ(timeouts, 2);
  release->Notify();
  hung->Wait();
}

TEST_F(BuilderTest, CancelledMeansWhatHasNotBegunDoesNotBegin) {
  auto release = std::make_shared<absl::Notification>();
  auto calls = std::make_shared<std::atomic<int>>(0);
  auto hung = std::make_shared<absl::BlockingCounter>(2);
  script_->Set([=](const ir::Module&) -> absl::StatusOr<runtime::Artifact> {
    calls->fetch_add(1);
    release->WaitForNotification();
    hung->DecrementCount();
    return absl::InternalError("too late");
  });
  const std::vector<BuildResult> results =
      Build({"", "", "", ""}, kLong, [&] { return calls->load() == 2; });
  for (const BuildResult& result : results) ExpectFailed(result, Outcome::kCancelled, "cancelled");
  release->Notify();
  hung->Wait();
  EXPECT_EQ(calls->load(), 2);
}

}  // namespace
}  // namespace alt::worker
