#include "worker/measure/compiler.h"

#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/file.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "tests/testing/paths.h"

namespace alt::worker {
namespace {

using alt::testing::BinDir;
using alt::testing::TempDir;
using measure::Outcome;

const target::Target kTarget = {.mcpu = "x86-64-v3", .vec_bits = 256};
constexpr absl::Duration kLong = absl::Seconds(60);

bool Never() { return false; }

workload::CandidateFile FileOf(const std::string& text) {
  absl::StatusOr<workload::Candidate> candidate = workload::ParseCandidate(text);
  EXPECT_TRUE(candidate.ok());
  return {.workload = {workload::Matmul{.m = 16, .n = 16, .k = 16}}, .candidate = *candidate};
}

class CompilerTest : public ::testing::Test {
 protected:
  // A program in the place of alt-builder; its socket is descriptor 3.
  ProcessCompiler Script(const std::string& script) {
    const std::string path = dir_.File("builder");
    ALT_EXPECT_OK(base::WriteFileAtomically(path, absl::StrCat("#!/bin/sh\n", script, "\n")));
    EXPECT_EQ(chmod(path.c_str(), 0755), 0);
    return ProcessCompiler(&spawner_, path);
  }

  static void ExpectFailure(const std::variant<runtime::Artifact, Failure>& result, Outcome outcome,
                            const std::string& part) {
    ASSERT_TRUE(std::holds_alternative<Failure>(result));
    const Failure& failure = std::get<Failure>(result);
    EXPECT_EQ(measure::OutcomeName(failure.outcome), measure::OutcomeName(outcome));
    EXPECT_NE(failure.message.find(part), std::string::npos) << failure.message;
  }

  // Whether the process that the script wrote the number of is gone.
  bool IsGone() {
    int pid = 0;
    const std::string text = base::ReadFile(dir_.File("pid")).value_or("");
    return absl::SimpleAtoi(text, &pid) && kill(pid, 0) != 0;
  }

  TempDir dir_;
  sandbox::Spawner spawner_;
  ProcessCompiler compiler_{&spawner_, BinDir() + "/alt-builder"};
};

TEST_F(CompilerTest, CompilesOneAfterTheOtherAndSaysWhoseAFailureIs) {
  for (const char* trace : {"", "split(matmul.m, 4)"}) {
    const auto result = compiler_.Compile(FileOf(trace), kTarget, kLong, Never);
    ASSERT_TRUE(std::holds_alternative<runtime::Artifact>(result))
        << std::get<Failure>(result).message;
    const auto& artifact = std::get<runtime::Artifact>(result);
    EXPECT_EQ(artifact.name, "kernel");
    EXPECT_EQ(artifact.object.substr(1, 3), "ELF");
    EXPECT_GT(artifact.facts.code_bytes, 0);
  }
  ExpectFailure(compiler_.Compile(FileOf("split(matmul.q, 4)"), kTarget, kLong, Never),
                Outcome::kRejected, "q");
  ExpectFailure(compiler_.Compile(FileOf(""), {.mcpu = "nosuch"}, kLong, Never),
                Outcome::kWorkerLost, "nosuch");
}

// The processes that this one has started and that still run.
std::set<std::string> Children() {
  std::set<std::string> children;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string list = base::ReadFile(thread.path() / "children").value_or("");
    for (absl::string_view child : absl::StrSplit(list, ' ', absl::SkipWhitespace())) {
      children.emplace(child);
    }
  }
  return children;
}

TEST_F(CompilerTest, OneProcessServesManyAndEndsWithItsCompiler) {
  auto compiler = std::make_unique<ProcessCompiler>(&spawner_, BinDir() + "/alt-builder");
  compiler->Compile(FileOf(""), kTarget, kLong, Never);
  const std::set<std::string> first = Children();
  EXPECT_EQ(first.size(), 1U);
  for (int i = 0; i < 5; ++i) compiler->Compile(FileOf(""), kTarget, kLong, Never);
  EXPECT_EQ(Children(), first);
  compiler.reset();
  EXPECT_TRUE(Children().empty());
}

TEST_F(CompilerTest, GivesTheSameAsCompilingHere) {
  auto llvm = codegen::CreateLlvmCodegen(kTarget);
  ALT_ASSERT_OK(llvm);
  InProcessCompiler here(*std::move(llvm));
  const auto one = compiler_.Compile(FileOf("vectorize(matmul.n)"), kTarget, kLong, Never);
  const auto other = here.Compile(FileOf("vectorize(matmul.n)"), kTarget, kLong, Never);
  EXPECT_EQ(std::get<runtime::Artifact>(one).object, std::get<runtime::Artifact>(other).object);
}

TEST_F(CompilerTest, WhatTakesTooLongEndsWithItsProcess) {
  ProcessCompiler hangs = Script(absl::StrCat("echo $$ > ", dir_.File("pid"), "; sleep 1000"));
  // Cancelled once it runs: then the number is there.
  ExpectFailure(hangs.Compile(FileOf(""), kTarget, kLong,
                              [&] { return base::ReadFile(dir_.File("pid")).value_or("") != ""; }),
                Outcome::kCancelled, "cancelled");
  EXPECT_TRUE(IsGone());
  ExpectFailure(hangs.Compile(FileOf(""), kTarget, absl::Milliseconds(60), Never),
                Outcome::kCompileTimeout, "60ms");
  EXPECT_TRUE(IsGone());
}

TEST_F(CompilerTest, ACrashOfTheCompilerIsTheCandidatesAndAKillIsNot) {
  const struct {
    const char* script;
    Outcome outcome;
  } kEnds[] = {{"kill -SEGV $$", Outcome::kCompileError}, {"kill -ABRT $$", Outcome::kCompileError},
               {"kill -KILL $$", Outcome::kWorkerLost},   {"kill -TERM $$", Outcome::kWorkerLost},
               {"exit 1", Outcome::kWorkerLost},          {"exit 0", Outcome::kWorkerLost}};
  for (const auto& end : kEnds) {
    SCOPED_TRACE(end.script);
    ProcessCompiler compiler = Script(end.script);
    ExpectFailure(compiler.Compile(FileOf(""), kTarget, kLong, Never), end.outcome, "");
  }
  ProcessCompiler nowhere(&spawner_, "/nowhere/alt-builder");
  ExpectFailure(nowhere.Compile(FileOf(""), kTarget, kLong, Never), Outcome::kWorkerLost,
                "/nowhere/alt-builder");
}

}  // namespace
}  // namespace alt::worker
