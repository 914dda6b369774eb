#include "client/cli/main_program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "common/base/parse.h"
#include "common/base/version.h"

namespace alt::cli {
namespace {

constexpr char kFooter[] = R"(
`alt COMMAND --help` shows a command's arguments and examples; `alt demo` shows it all at work.

Exit codes: 0 done, 1 failed, 2 usage, 3 unreachable, 4 locked, 5 denied, 6 incompatible,
130 interrupted.)";

void DeclareShared(CLI::App& app, SharedOptions& options) {
  CLI::Option* db =
      app.add_option("--db", options.db, "database file; default: alt.db in the state folder")
          ->type_name("FILE");
  app.add_option("--server", options.server, "an alt-server, instead of a private one")
      ->type_name("HOST:PORT")
      ->excludes(db);
  app.add_flag("--json", options.json, "one JSON object on stdout");
}

// Options by name, value and default. What a value may be, and with what, is in the description or
// in the error.
class HelpFormatter : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0 || option->get_positional()) return "";
    std::string value = option->get_type_name();
    // A validator puts what it accepts behind the type, and numbers are named by theirs.
    for (const char* number : {"UINT", "INT"}) {
      if (absl::StartsWith(value, number)) value = "N";
    }
    const std::string& preset = option->get_default_str();
    return absl::StrCat(" ", value, preset.empty() ? "" : absl::StrCat(" (", preset, ")"));
  }
};

// What was probably meant by the first long option that the command does not have.
std::string SuggestOption(const CLI::App& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& argument : arguments) {
    if (!absl::StartsWith(argument, "--")) continue;
    const std::string name = argument.substr(0, argument.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::StrCat("unknown option ", name, base::DidYouMean(name, known));
  }
  return "";
}

absl::Status UnknownCommand(const std::string& word,
                            const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->name());
  return UsageError(absl::StrCat("no command ", base::Quoted(word)),
                    absl::StrCat("unknown word", base::DidYouMean(word, names)),
                    "`alt --help` lists the commands");
}

absl::Status ParseFailure(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& arguments) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::string why = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    if (std::string suggestion = SuggestOption(command, arguments); !suggestion.empty()) {
      why = std::move(suggestion);
    }
  }
  const std::string line =
      chosen.empty() ? std::string("alt") : absl::StrCat("alt ", command.get_name());
  return UsageError(absl::StrCat("cannot read the arguments of ", line), why,
                    absl::StrCat("`", line, " --help` lists them"));
}

bool WantsJson(const std::vector<std::string>& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
}

Json ErrorJson(const absl::Status& status) {
  const ErrorText text = Describe(status);
  return {{"code", static_cast<int>(ExitCodeOf(status))},
          {"message", text.why.empty() ? text.what : absl::StrCat(text.what, ": ", text.why)},
          {"fix", text.fix}};
}

std::string Dump(const Json& json) {
  // Texts of ours are UTF-8; what a compiler said may not be.
  return absl::StrCat(json.dump(2, ' ', false, Json::error_handler_t::replace), "\n");
}

// The end of every run: the error on stderr, and with --json the one object on stdout. An error
// without a text was told already.
int Finish(const absl::Status& status, bool json, Json result) {
  if (!status.ok() && !status.message().empty()) {
    Note(FormatError(status));
    if (result.is_object()) result["error"] = ErrorJson(status);
  }
  if (json && result.is_object()) Out(Dump(result));
  return static_cast<int>(ExitCodeOf(status));
}

}  // namespace

std::vector<std::unique_ptr<Command>> MakeCommands() {
  std::vector<std::unique_ptr<Command>> out;
  for (const auto make :
       {MakeDemoCommand, MakeTuneCommand, MakeQueryCommand, MakeBenchCommand, MakeShowCommand,
        MakeCompileCommand, MakeRunCommand, MakePeakCommand, MakeOpsCommand, MakeJobsCommand,
        MakeWatchCommand, MakeCancelCommand, MakeResumeCommand, MakeReplayCommand,
        MakeTrialsCommand, MakeRecordsCommand, MakeWorkersCommand, MakeDbCommand}) {
    out.push_back(make());
  }
  return out;
}

int ReportStartFailure(const std::vector<std::string>& arguments, const absl::Status& why) {
  return Finish(CliError(ExitCode::kFailed, "cannot start", why.message(),
                         "raise those limits, or start alt where they are wider"),
                WantsJson(arguments), Json::object());
}

int RunMain(const std::vector<std::string>& arguments, const Environment& environment,
            Interrupts& interrupts) {
  const std::vector<std::unique_ptr<Command>> commands = MakeCommands();
  Context context{.environment = environment, .options = {}, .interrupts = interrupts};
  CLI::App app("ALT tunes data layouts and loops of deep-learning operators together.", "alt");
  app.footer(kFooter);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", absl::StrCat("alt ", base::kVersion));
  app.require_subcommand(1);
  Command* chosen = nullptr;
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->summary());
    DeclareShared(*sub, context.options);
    command->Declare(*sub);
    sub->footer(absl::StrCat("Examples:\n", command->examples()));
    sub->callback([&chosen, &command] { chosen = command.get(); });
  }
  if (arguments.empty()) {
    Note(app.help());
    return static_cast<int>(ExitCode::kUsage);
  }
  const bool json = WantsJson(arguments);
  if (!absl::StartsWith(arguments[0], "-") &&
      std::none_of(commands.begin(), commands.end(),
                   [&](const auto& command) { return command->name() == arguments[0]; })) {
    return Finish(UnknownCommand(arguments[0], commands), json, Json::object());
  }
  try {  // the library's exceptions end here
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> subs = app.get_subcommands();
    Out(subs.empty() ? app.help() : subs.front()->help(app.get_name()));
    return static_cast<int>(ExitCode::kDone);
  } catch (const CLI::CallForVersion&) {
    Out(absl::StrCat("alt ", base::kVersion, "\n"));
    return static_cast<int>(ExitCode::kDone);
  } catch (const CLI::ParseError& error) {
    return Finish(ParseFailure(app, error, arguments), json, Json::object());
  }
  const absl::Status interrupted = CliError(ExitCode::kInterrupted, "interrupted");
  if (json) interrupts.SetLastWords(Dump({{"error", ErrorJson(interrupted)}}));
  const absl::Status status =
      Advise(chosen->Run(context), absl::StrCat("`alt ", chosen->name(), " --help` has examples"));
  interrupts.SetLastWords("");
  return Finish(status, json, std::move(context.result));
}

}  // namespace alt::cli
