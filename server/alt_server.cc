// alt-server: keeps the database, searches, and hands candidates to workers.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/daemon.h"
#include "common/base/log.h"
#include "common/base/plain_text.h"
#include "common/base/thread_room.h"
#include "common/metrics/registry.h"
#include "server/http/http_server.h"
#include "server/service/process_metrics.h"
#include "server/service/tuning_server.h"
#include "server/store/recover.h"
#include "server/store/sqlite_tuning_store.h"

namespace {

// Work that is under way gets so long to end after SIGTERM.
constexpr absl::Duration kDrainPatience = absl::Seconds(20);

// gRPC's, the loops', and what HTTP takes.
constexpr int kThreads = 24;

struct Flags {
  std::string db = "alt.db";
  bool recover = false;
  std::string http;
  bool log_json = false;
  alt::service::ServerOptions server;
};

// Exit codes of docs/command_line.md#exit-codes.
int ExitCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return 2;
    case absl::StatusCode::kFailedPrecondition:  // the database is held
      return 4;
    case absl::StatusCode::kPermissionDenied:
      return 5;
    case absl::StatusCode::kUnimplemented:
      return 6;
    default:
      return 1;
  }
}

int Fail(const absl::Status& status) {
  fprintf(stderr, "alt-server: %s\n", alt::base::OneLine(status.message(), 8 << 10).c_str());
  return ExitCode(status);
}

// Returns after the first signal; the second ends the process at once. What was acknowledged is
// durable at any moment.
void WaitForStop() {
  alt::base::WaitForStopSignal();
  ALT_LOG(INFO) << "stopping: finishing what is under way";
  std::thread([] {
    alt::base::WaitForStopSignal();
    _exit(1);
  }).detach();
}

// Says on standard output, one a line: records N, jobs N, kept FILE (only when something was
// wrong), problem TEXT. `alt db recover` reads it.
int Recover(const std::string& db) {
  const auto report = alt::store::RecoverDatabase(db);
  if (!report.ok()) return Fail(report.status());
  printf("records %lld\njobs %lld\n", static_cast<long long>(report->records),
         static_cast<long long>(report->jobs));
  if (!report->kept_as.empty()) printf("kept %s\n", report->kept_as.c_str());
  for (const std::string& problem : report->problems) printf("problem %s\n", problem.c_str());
  return 0;
}

int Serve(const Flags& flags) {
  if (const absl::Status room = alt::base::CheckThreadRoom(kThreads); !room.ok()) {
    return Fail(room);
  }
  alt::metrics::Registry registry;
  alt::service::AddProcessMetrics(registry, flags.db);
  alt::base::RealClock clock;
  if (!flags.http.empty()) {
    const absl::Status allowed =
        alt::service::CheckPlaintext("--http", flags.http, flags.server.insecure);
    if (!allowed.ok()) return Fail(allowed);
  }
  // The database before the ports: whoever can reach us finds us ready.
  auto store = alt::store::OpenSqliteTuningStore({.path = flags.db});
  if (!store.ok()) return Fail(store.status());
  auto server = alt::service::TuningServer::Start(flags.server, **store, registry, clock);
  if (!server.ok()) return Fail(server.status());
  std::unique_ptr<alt::http::HttpServer> http;
  if (!flags.http.empty()) {
    auto started =
        alt::http::HttpServer::Start(flags.http, [&registry] { return registry.Text(); });
    if (!started.ok()) return Fail(started.status());
    http = *std::move(started);
  }
  const absl::Status announced = (*store)->AnnounceAddress((*server)->address());
  if (!announced.ok()) return Fail(announced);
  ALT_LOG(INFO) << "listening on " << (*server)->address() << ", database " << flags.db
                << (http ? absl::StrCat(", metrics on port ", http->port()) : "");
  WaitForStop();
  (*server)->Drain(kDrainPatience);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  alt::base::PrepareSignals();
  Flags flags;
  CLI::App app("alt-server keeps the database of ALT and leads the search.", "alt-server");
  app.footer(
      "SIGTERM or Ctrl-C: answers what is under way (20 s) and ends; jobs go on at the next "
      "start.\n"
      "A second one ends it at once: what was acknowledged is on disk.");
  app.add_option("--db", flags.db, "database file")->capture_default_str();
  app.add_option("--listen", flags.server.listen, "HOST:PORT or unix:PATH")->capture_default_str();
  app.add_option("--http", flags.http, "HOST:PORT of /metrics; default: off");
  app.add_flag("--insecure", flags.server.insecure, "allow plaintext beyond this machine");
  app.add_flag("--log-json", flags.log_json, "log JSON objects, one a line");
  app.add_flag("--recover", flags.recover,
               "make a clean database of what is sound in a damaged one, and end");
  app.add_flag("--private", flags.server.keep_stopped,
               "serve one client: unfinished jobs wait until they are resumed");
  if (const auto code = alt::base::ParseFlags(app, argc, argv)) return *code;
  if (flags.log_json) alt::base::SetLogFormat(alt::base::LogFormat::kJson);
  return flags.recover ? Recover(flags.db) : Serve(flags);
}
