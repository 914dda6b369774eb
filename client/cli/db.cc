#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/session.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

class DbCommand : public Command {
 public:
  std::string name() const override { return "db"; }
  std::string summary() const override { return "The database: stats, verify, backup"; }
  std::string examples() const override {
    return "  alt db stats\n"
           "  alt db verify --db=shared.db\n"
           "  alt db backup copy.db\n";
  }

  void Declare(CLI::App& app) override {
    app.add_option("action", action_, "stats, verify, or backup FILE")
        ->required()
        ->check(CLI::IsMember({"stats", "verify", "backup"}))
        ->type_name("");
    app.add_option("file", file_, "where backup writes to; a new file")->type_name("");
  }

  absl::Status Run(Context& context) override {
    if ((action_ == "backup") != !file_.empty()) {
      return action_ == "backup"
                 ? UsageError("cannot back up", "no file is named", "alt db backup FILE")
                 : UsageError(absl::StrCat("cannot run db ", action_),
                              absl::StrCat("unexpected argument '", file_, "'"));
    }
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    if (action_ == "stats") return Stats(context, *session);
    if (action_ == "verify") return Verify(context, *session);
    return Backup(context, *session);
  }

 private:
  absl::Status Stats(Context& context, Session& session) {
    ALT_ASSIGN_OR_RETURN(const job::Stats stats, session.client().GetStats());
    std::vector<std::string> targets;
    for (const target::Target& target : stats.targets) {
      targets.push_back(target::PrintTarget(target));
    }
    if (context.options.json) {
      context.result = {{"records", stats.records}, {"workloads", stats.workloads},
                        {"targets", targets},       {"duplicates", stats.duplicates},
                        {"bytes", stats.bytes},     {"jobs", stats.jobs}};
      return absl::OkStatus();
    }
    Out(absl::StrFormat(
        "records     %d of %d workloads, from %d jobs\nduplicates  %d\nsize        %.1f MiB\n",
        stats.records, stats.workloads, stats.jobs, stats.duplicates,
        static_cast<double>(stats.bytes) / (1 << 20)));
    for (const std::string& target : targets) Out(absl::StrCat("target      ", target, "\n"));
    return absl::OkStatus();
  }

  absl::Status Verify(Context& context, Session& session) {
    ALT_ASSIGN_OR_RETURN(const job::VerifyReport report, session.client().Verify());
    if (context.options.json) {
      context.result = {{"records", report.records},
                        {"ok", report.problems.empty()},
                        {"problems", report.problems}};
    } else {
      Out(absl::StrFormat("%d records, %d problems\n", report.records, report.problems.size()));
      for (const std::string& problem : report.problems) Out(absl::StrCat("  ", problem, "\n"));
    }
    if (report.problems.empty()) return absl::OkStatus();
    return CliError(ExitCode::kFailed, "the database is damaged", report.problems.front(),
                    "restore a copy made with `alt db backup`");
  }

  absl::Status Backup(Context& context, Session& session) {
    const absl::Status status = session.client().Backup(file_);
    if (absl::IsAlreadyExists(status)) {
      return UsageError(absl::StrCat("cannot write the copy to ", file_), status.message(),
                        "name a new file");
    }
    if (!status.ok()) return Explain(status, absl::StrCat("cannot write the copy to ", file_));
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(file_, ignored);
    if (context.options.json) {
      context.result = {{"file", file_}, {"bytes", bytes}};
    } else {
      Out(absl::StrFormat("%s: %d bytes\n", file_, bytes));
    }
    return absl::OkStatus();
  }

  std::string action_, file_;
};

}  // namespace

std::unique_ptr<Command> MakeDbCommand() { return std::make_unique<DbCommand>(); }

}  // namespace alt::cli
