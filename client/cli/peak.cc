#include <CLI/CLI.hpp>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/follow.h"
#include "client/cli/output.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

// "48 KiB"; "2 MiB".
std::string FormatBytes(int64_t bytes) {
  const bool whole_mebibytes = bytes % (1 << 20) == 0;
  return whole_mebibytes ? absl::StrCat(bytes >> 20, " MiB") : absl::StrCat(bytes >> 10, " KiB");
}

Json CachesJson(const measure::Peak& peak) {
  Json out = Json::array();
  for (const measure::CacheLevel& cache : peak.caches) {
    out.push_back({{"level", cache.level}, {"bytes", cache.bytes}, {"read_gbs", cache.read_gbs}});
  }
  return out;
}

class PeakCommand : public Command {
 public:
  std::string name() const override { return "peak"; }
  std::string summary() const override {
    return "Measure the machine: multiply-adds and memory bandwidth";
  }
  std::string examples() const override {
    return "  alt peak\n"
           "  alt peak --threads=1 --json\n";
  }
  void Declare(CLI::App& app) override { target_.Declare(app); }

  absl::Status Run(Context& context) override {
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kMeasure));
    job::PeakSpec spec;
    ALT_ASSIGN_OR_RETURN(spec.target, target_.Resolve(*session, context, /*waits=*/true));
    ALT_ASSIGN_OR_RETURN(job::Job job, Submit(*session, spec));
    ALT_ASSIGN_OR_RETURN(job, Follow(context, *session, job.id, OnInterrupt::kDrop));
    const auto* progress = std::get_if<job::PeakProgress>(&job.progress);
    if (progress == nullptr || !progress->peak) {
      return CliError(ExitCode::kFailed, "the measurement was stopped", job.reason);
    }
    const measure::Peak& peak = *progress->peak;
    if (context.options.json) {
      context.result = {{"gflops_1t", peak.gflops_1t}, {"gflops", peak.gflops},
                        {"threads", peak.threads},     {"read_gbs", peak.read_gbs},
                        {"mcpu", spec.target.mcpu},    {"cpu", peak.cpu},
                        {"caches", CachesJson(peak)}};
      return absl::OkStatus();
    }
    if (!peak.cpu.empty()) Out(absl::StrCat("found     ", peak.cpu, "\n"));
    Out(absl::StrFormat("cpu       %s, vectors of %d bits\nfma       %.1f GFLOP/s on one core",
                        spec.target.mcpu, spec.target.vec_bits, peak.gflops_1t));
    if (peak.threads > 1) Out(absl::StrFormat(", %.1f on %d threads", peak.gflops, peak.threads));
    Out("\n");
    for (const measure::CacheLevel& cache : peak.caches) {
      Out(absl::StrFormat("L%d        %s, %.1f GB/s read\n", cache.level, FormatBytes(cache.bytes),
                          cache.read_gbs));
    }
    Out(absl::StrFormat("memory    %.1f GB/s read\n", peak.read_gbs));
    return absl::OkStatus();
  }

 private:
  TargetArguments target_;
};

}  // namespace

std::unique_ptr<Command> MakePeakCommand() { return std::make_unique<PeakCommand>(); }

}  // namespace alt::cli
