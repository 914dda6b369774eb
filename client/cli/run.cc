#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/export_check.h"
#include "common/base/child_process.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace alt::cli {
namespace {

// Compiling the reference takes under a second; a naive run of the largest workload some more.
constexpr int kDefaultTimeoutSeconds = 300;

constexpr size_t kMostOutput = 16 << 20;

constexpr char kOtherMachine[] =
    "run it on such a machine, or export one for this: alt compile WORKLOAD -o out.so";

class RunCommand : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override { return "Run an exported kernel on random data"; }
  std::string examples() const override {
    return "  alt run gemm.so --check\n"
           "  alt run ./gemm.so --check --seed=7 --timeout=60\n";
  }

  void Declare(CLI::App& app) override {
    app.add_option("library", library_, "what `alt compile -o out.so` made")
        ->required()
        ->type_name("");
    app.add_flag("--check", check_, "compare with the workload's definition")->required();
    app.add_option("--seed", seed_, "of the data")->capture_default_str();
    app.add_option("--timeout", timeout_seconds_, "seconds until the kernel is given up")
        ->check(CLI::Range(1, 86'400))
        ->capture_default_str();
    app.add_flag("--in-this-process", in_this_process_)->group("");  // what the child is told
  }

  absl::Status Run(Context& context) override {
    if (in_this_process_) return RunHere(context);
    if (const auto file = base::ReadFile(library_); !file.ok()) {
      return UsageError(absl::StrCat("cannot open ", library_), file.status().message(),
                        "make it with: alt compile WORKLOAD -o out.so");
    }
    return RunInChild(context);
  }

 private:
  absl::Status RunHere(Context& context) {
    ALT_ASSIGN_OR_RETURN(const client::CheckReport report,
                         client::CheckExport({.library = library_,
                                              .seed = seed_,
                                              .search_path = context.environment.path,
                                              .temp_dir = context.environment.temp_dir}),
                         Explain(_, absl::StrCat("cannot check ", library_),
                                 absl::IsUnimplemented(_) ? kOtherMachine : ""));
    if (context.options.json) {
      context.result = {{"library", library_},
                        {"workload", report.workload},
                        {"max_abs_error", report.max_abs_error},
                        {"max_rel_error", report.max_rel_error},
                        {"ok", report.ok}};
    } else {
      Out(absl::StrFormat("workload  %s\nerror     %.3g absolute, %.3g relative: %s\n",
                          report.workload, report.max_abs_error, report.max_rel_error,
                          report.ok ? "ok" : "WRONG"));
    }
    if (report.ok) return absl::OkStatus();
    return CliError(ExitCode::kFailed, absl::StrCat(library_, " computes something else"),
                    absl::StrFormat("it is off by up to %.3g", report.max_abs_error),
                    "export it again; if it stays wrong, `alt show RECORD --trace` belongs in a "
                    "report");
  }

  // The library may crash, hang or end the process: it is not to take us along.
  absl::Status RunInChild(Context& context) {
    std::vector<std::string> argv = {"/proc/self/exe",
                                     "run",
                                     library_,
                                     "--check",
                                     "--in-this-process",
                                     absl::StrCat("--seed=", seed_)};
    if (context.options.json) argv.push_back("--json");
    // What it prints is held back: it may crash behind it.
    const base::UniqueFd out(memfd_create("alt-run", MFD_CLOEXEC));
    if (!out.valid()) return absl::ErrnoToStatus(errno, "cannot hold the output");
    ALT_ASSIGN_OR_RETURN(const auto child, base::ChildProcess::Spawn(
                                               {.argv = argv, .fds = {{out.get(), 1}, {2, 2}}}));
    const auto exit = child->WaitFor(absl::Seconds(timeout_seconds_));
    if (!exit) {
      child->Kill();
      return CliError(ExitCode::kFailed, absl::StrCat(library_, " does not end"),
                      absl::StrCat("no result after ", timeout_seconds_, " s"),
                      "give it more with --timeout=SECONDS");
    }
    if (exit->signaled) {
      return CliError(ExitCode::kFailed, absl::StrCat(library_, " crashed"), exit->ToString());
    }
    // The child has said it all.
    lseek(out.get(), 0, SEEK_SET);
    ALT_ASSIGN_OR_RETURN(const std::string text, base::ReadAll(out.get(), kMostOutput));
    Out(text);
    context.result = nullptr;
    if (exit->code != 0) return CliError(static_cast<ExitCode>(exit->code), "");
    return absl::OkStatus();
  }

  std::string library_;
  bool check_ = false;
  uint64_t seed_ = 1;
  int timeout_seconds_ = kDefaultTimeoutSeconds;
  bool in_this_process_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeRunCommand() { return std::make_unique<RunCommand>(); }

}  // namespace alt::cli
