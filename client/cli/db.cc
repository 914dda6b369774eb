#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/session.h"
#include "common/base/child_process.h"
#include "common/base/file.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace alt::cli {
namespace {

class DbCommand : public Command {
 public:
  std::string name() const override { return "db"; }
  std::string summary() const override {
    return "The database: stats, verify, recover, refresh, delete, backup";
  }
  std::string examples() const override {
    return "  alt db stats\n"
           "  alt db verify --db=shared.db\n"
           "  alt db recover --db=shared.db\n"
           "  alt db refresh --top=3\n"
           "  alt db backup copy.db\n";
  }

  void Declare(CLI::App& app) override {
    app.add_option("action", action_,
                   "stats, verify, recover, refresh, delete RECORD, or backup FILE")
        ->required()
        ->check(CLI::IsMember({"stats", "verify", "recover", "refresh", "delete", "backup"}))
        ->type_name("");
    app.add_option("what", what_, "the record, or the new file")->type_name("");
    top_option_ = app.add_option("--top", top_,
                                 "refresh: how many records of each workload are measured again")
                      ->check(CLI::Range(int64_t{1}, job::kMaxRefresh))
                      ->capture_default_str();
  }

  absl::Status Run(Context& context) override {
    const bool takes_what = action_ == "backup" || action_ == "delete";
    if (takes_what && what_.empty()) {
      return action_ == "backup"
                 ? UsageError("cannot back up", "no file is named", "alt db backup FILE")
                 : UsageError("cannot delete", "no record is named", "alt db delete RECORD");
    }
    if (!takes_what && !what_.empty()) {
      return UsageError(absl::StrCat("cannot run db ", action_),
                        absl::StrCat("unexpected argument ", base::Quoted(what_)));
    }
    if (top_option_->count() > 0 && action_ != "refresh") {
      return UsageError(absl::StrCat("cannot run db ", action_), "--top is for refresh only");
    }
    if (action_ == "recover") return Recover(context);
    if (action_ == "refresh") return Refresh(context);
    ALT_ASSIGN_OR_RETURN(
        const auto session,
        Session::Open(context, action_ == "delete" ? Access::kWrite : Access::kRead));
    if (action_ == "stats") return Stats(context, *session);
    if (action_ == "verify") return Verify(context, *session);
    if (action_ == "delete") return Delete(context, *session);
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
                        {"bytes", stats.bytes},     {"jobs", stats.jobs},
                        {"damage", stats.damage}};
      return absl::OkStatus();
    }
    Out(absl::StrFormat("records     %d of %s, from %s\nduplicates  %d\nsize        %.1f MiB\n",
                        stats.records, Counted(stats.workloads, "workload"),
                        Counted(stats.jobs, "job"), stats.duplicates,
                        static_cast<double>(stats.bytes) / (1 << 20)));
    for (const std::string& target : targets) Out(absl::StrCat("target      ", target, "\n"));
    for (const std::string& damage : stats.damage) Out(absl::StrCat("damage      ", damage, "\n"));
    if (!stats.damage.empty()) {
      Note(absl::StrCat("keep what is sound with `", session.CommandLine("db recover"), "`\n"));
    }
    return absl::OkStatus();
  }

  absl::Status Verify(Context& context, Session& session) {
    ALT_ASSIGN_OR_RETURN(const job::VerifyReport report, session.client().Verify());
    if (context.options.json) {
      context.result = {{"records", report.records},
                        {"ok", report.problems.empty()},
                        {"problems", report.problems}};
    } else {
      Out(absl::StrCat(Counted(report.records, "record"), ", ",
                       Counted(static_cast<int64_t>(report.problems.size()), "problem"), "\n"));
      for (const std::string& problem : report.problems) Out(absl::StrCat("  ", problem, "\n"));
    }
    if (report.problems.empty()) return absl::OkStatus();
    return CliError(ExitCode::kFailed, "the database is damaged", report.problems.front(),
                    absl::StrCat("keep what is sound with `", session.CommandLine("db recover"),
                                 "`, or restore a copy made with `alt db backup`"));
  }

  absl::Status Delete(Context& context, Session& session) {
    ALT_ASSIGN_OR_RETURN(
        const std::string record, session.client().DeleteRecord(what_),
        Explain(_, absl::StrCat("cannot delete record ", what_), "`alt records` lists them"));
    if (context.options.json) {
      context.result = {{"deleted", record}};
    } else {
      Out(absl::StrCat("deleted record ", record, "\n"));
    }
    return absl::OkStatus();
  }

  // A comparison for each stale answer: its fastest records and the default schedule in turns.
  absl::Status Refresh(Context& context) {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kMeasure));
    ALT_RETURN_IF_ERROR(Workers(*session, context, /*waits=*/true).status());
    ALT_ASSIGN_OR_RETURN(const job::StaleReport stale, session->client().ListStale(),
                         Explain(_, "cannot list what is stale"));
    Json refreshed = Json::array();
    absl::Status status;
    for (const job::StaleTask& task : stale.tasks) {
      if (status.ok()) status = RefreshOne(context, *session, task, refreshed);
    }
    context.result = {{"stale", stale.tasks.size()},
                      {"unserved", stale.unserved},
                      {"refreshed", std::move(refreshed)}};
    if (!status.ok() || context.options.json) return status;
    Out(stale.tasks.empty()
            ? "nothing is stale\n"
            : absl::StrCat(Counted(static_cast<int64_t>(stale.tasks.size()), "answer"),
                           " measured again\n"));
    if (stale.unserved > 0) {
      Out(absl::StrCat(Counted(stale.unserved, "answer"),
                       " for targets that no worker here serves: left as they are\n"));
    }
    return absl::OkStatus();
  }

  absl::Status RefreshOne(Context& context, Session& session, const job::StaleTask& task,
                          Json& refreshed) {
    job::TuneSpec spec{.workload = task.workload,
                       .target = task.target,
                       .trials = 0,
                       .refresh = top_,
                       .fixed_layouts = task.fixed_layouts,
                       .cache = task.cache};
    ALT_ASSIGN_OR_RETURN(job::Job job, Submit(session, spec));
    Note(absl::StrCat("job ", job.id, ": ", ShortName(task.workload), " for ",
                      target::PrintTarget(task.target), ", measured under ", task.reason, "\n"));
    ALT_ASSIGN_OR_RETURN(job, Follow(context, session, job.id, OnInterrupt::kStop));
    const auto* tune = std::get_if<job::TuneProgress>(&job.progress);
    if (tune == nullptr || !tune->best) return absl::OkStatus();
    refreshed.push_back({{"workload", workload::Print(task.workload)},
                         {"target", target::PrintTarget(task.target)},
                         {"reason", task.reason},
                         {"job", job.id},
                         {"record", tune->best->record},
                         {"latency_ns", ToJson(tune->best->latency)}});
    if (context.options.json) return absl::OkStatus();
    Out(absl::StrCat(ShortName(task.workload), "  ", FormatLatency(tune->best->latency),
                     "  record ", tune->best->record, "\n"));
    return absl::OkStatus();
  }

  // The server's program does it, to the file: no server may have it open.
  absl::Status Recover(Context& context) {
    if (!context.options.server.empty()) {
      return UsageError("cannot recover the database of a server that runs", "it is in use",
                        "stop alt-server and run this on its machine with --db=FILE");
    }
    ALT_ASSIGN_OR_RETURN(const std::string db, DatabasePath(context));
    const std::string what = absl::StrCat("cannot recover ", db);
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
      return Explain(absl::ErrnoToStatus(errno, "make a pipe"), what);
    }
    base::UniqueFd ends[] = {base::UniqueFd(out[0]), base::UniqueFd(out[1]), base::UniqueFd(err[0]),
                             base::UniqueFd(err[1])};
    ALT_ASSIGN_OR_RETURN(
        const auto child,
        base::ChildProcess::Spawn(
            {.argv = {absl::StrCat(context.environment.bin_dir, "/alt-server"),
                      absl::StrCat("--db=", db), "--recover"},
             .fds = {{ends[1].get(), STDOUT_FILENO}, {ends[3].get(), STDERR_FILENO}}}),
        Explain(_, what));
    ends[1].Reset();
    ends[3].Reset();
    constexpr size_t kMostBytes = 1 << 20;
    ALT_ASSIGN_OR_RETURN(const std::string said, base::ReadAll(ends[0].get(), kMostBytes));
    ALT_ASSIGN_OR_RETURN(const std::string failed, base::ReadAll(ends[2].get(), kMostBytes));
    const base::ExitStatus exit = child->Wait();
    if (!exit.ok()) return NotRecovered(what, exit, failed);
    PrintRecovered(context, db, said);
    return absl::OkStatus();
  }

  static absl::Status NotRecovered(const std::string& what, const base::ExitStatus& exit,
                                   absl::string_view said) {
    said = absl::StripAsciiWhitespace(said);
    said = said.substr(said.rfind('\n') + 1);
    absl::ConsumePrefix(&said, "alt-server: ");
    const std::string why = said.empty() ? exit.ToString() : std::string(said);
    const bool held = !exit.signaled && exit.code == static_cast<int>(ExitCode::kLocked);
    return held
               ? CliError(ExitCode::kLocked, what, why, "stop that process first")
               : CliError(ExitCode::kFailed, what, why, "restore a copy made with `alt db backup`");
  }

  // What alt-server --recover says: a word and a value on each line.
  static void PrintRecovered(Context& context, const std::string& db, const std::string& said) {
    std::map<std::string, std::vector<std::string>> found;
    for (const absl::string_view line : absl::StrSplit(said, '\n', absl::SkipEmpty())) {
      const std::pair<std::string, std::string> field =
          absl::StrSplit(line, absl::MaxSplits(' ', 1));
      found[field.first].push_back(field.second);
    }
    const auto one = [&](const char* name) {
      return found[name].empty() ? std::string() : found[name].front();
    };
    int64_t records = 0, jobs = 0;
    (void)(absl::SimpleAtoi(one("records"), &records) && absl::SimpleAtoi(one("jobs"), &jobs));
    if (context.options.json) {
      context.result = {{"records", records},
                        {"jobs", jobs},
                        {"kept", one("kept").empty() ? Json() : Json(one("kept"))},
                        {"problems", found["problem"]}};
      return;
    }
    if (one("kept").empty()) {
      Out(absl::StrCat("nothing is wrong with ", db, "; it stays as it is\n"));
      return;
    }
    Out(absl::StrFormat("%s has %s of %s; the damaged file is kept as %s\n", db,
                        Counted(records, "record"), Counted(jobs, "job"), one("kept")));
    for (const std::string& problem : found["problem"]) {
      Out(absl::StrCat("  left out: ", problem, "\n"));
    }
  }

  absl::Status Backup(Context& context, Session& session) {
    const absl::Status status = session.client().Backup(what_);
    if (absl::IsAlreadyExists(status)) {
      return UsageError(absl::StrCat("cannot write the copy to ", what_), status.message(),
                        "name a new file");
    }
    if (!status.ok()) return Explain(status, absl::StrCat("cannot write the copy to ", what_));
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(what_, ignored);
    if (context.options.json) {
      context.result = {{"file", what_}, {"bytes", bytes}};
    } else {
      Out(absl::StrFormat("%s: %d bytes\n", what_, bytes));
    }
    return absl::OkStatus();
  }

  std::string action_, what_;
  int64_t top_ = 3;
  const CLI::Option* top_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> MakeDbCommand() { return std::make_unique<DbCommand>(); }

}  // namespace alt::cli
