// alt-worker: measures candidates on this machine for an alt-server.
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "common/base/daemon.h"
#include "common/base/host_name.h"
#include "common/base/log.h"
#include "common/base/plain_text.h"
#include "common/base/state_dir.h"
#include "common/base/status_macros.h"
#include "common/base/thread_room.h"
#include "common/codegen/link.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/measure/validators.h"
#include "common/target/host.h"
#include "worker/agent/calibration.h"
#include "worker/agent/worker_agent.h"
#include "worker/measure/local_measurer.h"

namespace {

// gRPC's, the agent's, and one for signals; builders come on top.
constexpr int kThreads = 24;

struct Flags {
  std::string server = "127.0.0.1:7440";
  std::string device = "cpu:0";
  int threads = 0;  // 0: all cores
  std::string name;
  std::string state_dir;
};

std::string Variable(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

absl::Status CheckDevice(const std::string& device) {
  if (device == "cpu:0" || device == "cpu") return absl::OkStatus();
  for (const char* kind : {"cuda", "opencl"}) {
    if (absl::StartsWith(device, kind)) {
      return absl::UnimplementedError(absl::StrCat("--device=", device, ": ", kind,
                                                   " devices are not in this version; use cpu:0"));
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--device=", device, ": no such device; use cpu:0"));
}

// What measuring may take: half, for the worker compiles meanwhile and is not alone.
int64_t MemoryBytes(const alt::target::HostFacts& host) { return host.memory_bytes / 2; }

absl::StatusOr<std::unique_ptr<alt::worker::LocalMeasurer>> MakeMeasurer(
    const alt::target::HostFacts& host, int threads, alt::worker::Activity* activity) {
  alt::worker::LocalMeasurer::Options options;
  options.activity = activity;
  options.codegen = alt::codegen::CreateLlvmCodegen;
  ALT_ASSIGN_OR_RETURN(options.link.linker,
                       alt::codegen::FindLinker(Variable("PATH", "/usr/local/bin:/usr/bin:/bin")));
  options.link.temp_dir = Variable("TMPDIR", "");  // the linker's own choice: in memory
  alt::codegen::SweepLinkFolders(options.link);
  const std::filesystem::path programs =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  options.builder_path = programs / "alt-builder";
  options.runner_path = programs / "alt-runner";
  ALT_ASSIGN_OR_RETURN(options.lock_path, alt::worker::DeviceLockPath("cpu0"));
  options.max_threads = threads;
  options.build_threads = host.threads;
  options.memory_bytes = MemoryBytes(host);
  options.caches = {.l1 = host.l1d_bytes, .l2 = host.l2_bytes, .l3 = host.l3_bytes};
  return alt::worker::LocalMeasurer::Create(std::move(options));
}

// Calibration of this machine, one for each number of threads: from the state folder, else measured
// and kept there.
class Calibration {
 public:
  Calibration(alt::worker::LocalMeasurer& measurer, const Flags& flags,
              const alt::target::HostFacts& host)
      : measurer_(measurer),
        state_dir_(flags.state_dir),
        cpu_(absl::StrCat(host.cpu_name, ", ", host.mcpu_why)) {}

  std::optional<alt::measure::Peak> Kept(int threads) const {
    if (state_dir_.empty()) return std::nullopt;
    return alt::agent::ReadCalibration(File(threads), Machine(threads));
  }
  absl::StatusOr<alt::measure::Peak> Measure(int threads, absl::FunctionRef<bool()> cancelled) {
    ALT_ASSIGN_OR_RETURN(alt::measure::Peak peak, measurer_.MeasurePeak(threads, cancelled));
    peak.cpu = cpu_;
    if (state_dir_.empty()) return peak;  // nowhere to keep it
    std::error_code ignored;
    std::filesystem::create_directories(state_dir_, ignored);
    const absl::Status kept = alt::agent::WriteCalibration(File(threads), Machine(threads), peak);
    if (!kept.ok()) ALT_LOG(WARNING) << "calibration is not kept: " << kept.message();
    return peak;
  }

 private:
  std::string File(int threads) const {
    return absl::StrCat(state_dir_, "/calibration-", threads, ".txt");
  }
  std::string Machine(int threads) const {
    return absl::StrCat(cpu_, ", ", alt::target::PrintTarget(alt::target::HostTarget(threads)));
  }

  alt::worker::LocalMeasurer& measurer_;
  const std::string state_dir_, cpu_;
};

alt::agent::AgentOptions MakeOptions(const Flags& flags, const alt::target::HostFacts& host,
                                     const alt::target::Target& target) {
  alt::agent::AgentOptions options;
  options.name = flags.name.empty() ? absl::StrCat(alt::base::HostName(), "/cpu:0") : flags.name;
  std::random_device random;
  options.session_id = absl::StrFormat("%08x%08x", random(), random());
  options.facts.target = target;
  if (host.l1d_bytes > 0) options.facts.l1_bytes = host.l1d_bytes;
  if (host.l2_bytes > 0) options.facts.l2_bytes = host.l2_bytes;
  options.facts.memory_bytes = MemoryBytes(host);
  options.facts.host = alt::base::HostName();
  options.facts.pid = getpid();
  options.facts.validators = alt::measure::ValidatorsOf(host, alt::codegen::kCodeGeneratorNumber,
                                                        alt::codegen::LlvmVersion());
  return options;
}

// The agent once there is one; never freed, as the thread of the signals may use it until the end.
std::atomic<alt::agent::WorkerAgent*> the_agent = nullptr;

// The first signal drains, the second ends the process at once; so does the first one before there
// is anything to drain.
void DrainOnSignal() {
  std::thread([] {
    for (bool first = true;; first = false) {
      alt::base::WaitForStopSignal();
      if (!first) _exit(1);
      ALT_LOG(INFO) << "stopping: finishing or handing back the lease";
      alt::agent::WorkerAgent* const agent = the_agent;
      if (agent == nullptr) _exit(0);
      agent->Drain();
    }
  }).detach();
}

absl::Status Work(Flags flags) {
  ALT_RETURN_IF_ERROR(alt::base::CheckThreadRoom(kThreads));
  ALT_RETURN_IF_ERROR(CheckDevice(flags.device));
  const alt::target::HostFacts host = alt::target::DetectHostFacts();
  if (flags.threads > host.threads) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threads=", flags.threads, ": this process may use ", host.threads));
  }
  const int threads = flags.threads > 0 ? flags.threads : host.usable_cores;
  const alt::target::Target target = alt::target::HostTarget(threads);
  static alt::worker::Activity activity;  // never freed, like the agent that reads it
  ALT_ASSIGN_OR_RETURN(const auto measurer, MakeMeasurer(host, threads, &activity));
  Calibration calibration(*measurer, flags, host);
  alt::agent::AgentOptions options = MakeOptions(flags, host, target);
  options.server = flags.server;
  options.activity = &activity;
  options.facts.peak = calibration.Kept(threads);
  DrainOnSignal();
  ALT_LOG(INFO) << options.name << ": " << alt::target::PrintTarget(target) << ", server "
                << flags.server;
  the_agent = new alt::agent::WorkerAgent(
      std::move(options), alt::agent::MakeGrpcWorkerChannel(flags.server), *measurer,
      [&](int n, absl::FunctionRef<bool()> cancelled) {
        return calibration.Measure(n, cancelled);
      });
  return the_agent.load()->Run();
}

}  // namespace

int main(int argc, char** argv) {
  alt::base::PrepareSignals();
  Flags flags;
  flags.state_dir = alt::base::StateDir(Variable("XDG_STATE_HOME", ""), Variable("HOME", ""),
                                        alt::base::UserHome());
  CLI::App app("alt-worker measures candidates on this machine for an alt-server.", "alt-worker");
  app.footer(
      "SIGTERM or Ctrl-C: takes nothing more, finishes or hands back what it measures (15 s), and\n"
      "ends. A second one ends it at once: what it had goes to others.");
  app.add_option("--server", flags.server, "HOST:PORT or unix:PATH")->capture_default_str();
  app.add_option("--device", flags.device, "what to measure on")->capture_default_str();
  app.add_option("--threads", flags.threads, "most threads of a kernel; default: all cores")
      ->check(CLI::Range(1, alt::target::kMaxThreads));
  app.add_option("--name", flags.name, "stable name of this worker; default: HOST/cpu:0");
  app.add_option("--state-dir", flags.state_dir, "where the calibration is kept");
  if (const auto code = alt::base::ParseFlags(app, argc, argv)) return *code;
  const absl::Status status = Work(flags);
  if (status.ok()) return 0;
  fprintf(stderr, "alt-worker: %s\n", alt::base::OneLine(status.message(), 8 << 10).c_str());
  if (absl::IsInvalidArgument(status)) return 2;
  return absl::IsUnimplemented(status) ? 6 : 1;
}
