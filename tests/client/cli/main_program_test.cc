#include "client/cli/main_program.h"

#include <gtest/gtest.h>

#include "client/cli/cli_error.h"
#include "client/cli/command.h"

namespace alt::cli {
namespace {

struct Outcome {
  int code = 0;
  std::string out, err;
};

Outcome RunAlt(const std::vector<std::string>& arguments) {
  static auto* const interrupts = new Interrupts();
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = RunMain(arguments, {.state_dir = "", .temp_dir = "/tmp"}, *interrupts);
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.err = ::testing::internal::GetCapturedStderr();
  return outcome;
}

// The only thing on stdout.
Json ErrorOf(const Outcome& outcome) {
  const Json json = Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("error") ? json["error"] : Json();
}

TEST(MainProgramTest, WithJsonEveryErrorIsAnObject) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"tuen"},
        {"query", "conv2d:n=1"},
        {"query"},
        {"tune", "matmul:m=8,n=8,k=8", "--trails=3"},
        {"tune", "model.onnx"},
        {"show", "\xff"},
        {"watch", "7"},
        {"query", "matmul:m=8,n=8,k=8", "--db=/tmp"},
        {"query", "matmul:m=8,n=8,k=8", "--db=/dev/null"},
        {"compile", "matmul:m=8,n=8,k=8", "-o", "/nonexistent/x.so"},
        {"db", "stats"}}) {
    std::vector<std::string> arguments = line;
    arguments.push_back("--json");
    const Outcome outcome = RunAlt(arguments);
    EXPECT_EQ(outcome.code, 2) << line[0];
    const Json error = ErrorOf(outcome);
    ASSERT_TRUE(error.is_object()) << line[0] << ": " << outcome.out;
    EXPECT_EQ(error.at("code"), 2);
    EXPECT_FALSE(error.at("message").get<std::string>().empty());
    EXPECT_FALSE(error.at("fix").get<std::string>().empty()) << error;
    EXPECT_EQ(RunAlt(line).out, "") << "without --json, stdout is for data";
  }
}

TEST(MainProgramTest, ARefusedConnectionIsAnErrorAtOnce) {
  const Outcome outcome = RunAlt({"db", "stats", "--server=127.0.0.1:1", "--json"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(ErrorOf(outcome).at("message").get<std::string>().find("connection refused"),
            std::string::npos)
      << outcome.out;
}

TEST(MainProgramTest, WithoutAStateFolderTheDatabaseHasToBeNamed) {
  const Outcome outcome = RunAlt({"db", "stats"});
  EXPECT_NE(outcome.err.find("XDG_STATE_HOME"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--db=FILE"), std::string::npos) << outcome.err;
}

TEST(MainProgramTest, HelpNamesTheProgramAndShowsNoValidators) {
  for (const auto& command : MakeCommands()) {
    const std::string help = RunAlt({command->name(), "--help"}).out;
    EXPECT_NE(help.find("Usage: alt " + command->name()), std::string::npos) << help;
    for (const char* noise : {"Excludes", "REQUIRED", "INT", " in ["}) {
      EXPECT_EQ(help.find(noise), std::string::npos) << noise << " in\n" << help;
    }
  }
}

TEST(MainProgramTest, EveryHelpHasExamplesOfItsOwnCommand) {
  for (const auto& command : MakeCommands()) {
    const Outcome outcome = RunAlt({command->name(), "--help"});
    EXPECT_EQ(outcome.code, 0);
    const size_t examples = outcome.out.find("Examples:\n");
    ASSERT_NE(examples, std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("alt " + command->name(), examples), std::string::npos)
        << outcome.out;
  }
}

TEST(MainProgramTest, AResultIsOneObject) {
  const Outcome outcome = RunAlt({"ops", "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(Json::parse(outcome.out).contains("operators"));
}

}  // namespace
}  // namespace alt::cli
