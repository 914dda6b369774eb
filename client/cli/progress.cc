#include "client/cli/progress.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/context.h"
#include "client/cli/output.h"

namespace alt::cli {
namespace {

constexpr absl::Duration kPlainInterval = absl::Seconds(5);
constexpr absl::Duration kShortWait = absl::Seconds(3);

std::string FormatTune(const client::TuneSpec& spec, const client::TuneProgress& progress) {
  std::string out = absl::StrFormat("trial %d/%d", progress.trials, spec.trials);
  if (progress.best) {
    const double ns = progress.best->latency.median_ns;
    const double gflops = GflopsOf(spec.workload, progress.best->latency);
    absl::StrAppend(&out, "  best ", FormatNanoseconds(ns),
                    absl::StrFormat("  %.1f GFLOP/s", gflops));
    if (const auto share = PeakShare(spec, progress)) {
      absl::StrAppendFormat(&out, "  %.0f%% of peak", 100 * *share);
    }
    if (progress.default_latency) {
      absl::StrAppendFormat(&out, "  %.2fx default", progress.default_latency->median_ns / ns);
    }
  }
  int64_t failed = 0;
  for (const auto& [outcome, count] : progress.outcomes) {
    if (outcome != measure::Outcome::kOk) failed += count;
  }
  if (failed > 0) absl::StrAppend(&out, "  ", failed, " failed");
  if (progress.trials > 0 && progress.trials < spec.trials) {
    const double left = progress.wall_seconds / static_cast<double>(progress.trials) *
                        static_cast<double>(spec.trials - progress.trials);
    absl::StrAppend(&out, "  ETA ", FormatSeconds(left));
  } else if (progress.trials >= spec.trials) {
    absl::StrAppend(&out, "  comparing finalists");
  }
  return out;
}

}  // namespace

std::string FormatNanoseconds(double ns) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  while (ns >= 1000 && unit < 3) {
    ns /= 1000;
    ++unit;
  }
  const int decimals = ns >= 100 ? 1 : ns >= 10 ? 2 : 3;
  return absl::StrFormat("%.*f %s", decimals, ns, kUnits[unit]);
}

std::string FormatSeconds(double seconds) {
  const int64_t whole = static_cast<int64_t>(std::lround(std::clamp(seconds, 0.0, 1e9)));
  if (whole >= 3600) {
    return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return absl::StrFormat("%d:%02d", whole / 60, whole % 60);
}

std::string FormatProgress(const client::Job& job) {
  const std::string state(measure::JobStateName(job.state));
  if (job.state == measure::JobState::kQueued) {
    return absl::StrCat("waiting", job.reason.empty() ? "" : ": ", job.reason);
  }
  const auto* spec = std::get_if<client::TuneSpec>(&job.spec);
  const auto* tune = std::get_if<client::TuneProgress>(&job.progress);
  std::string out = spec != nullptr && tune != nullptr ? FormatTune(*spec, *tune)
                                                       : absl::StrCat(job.id, " ", state);
  if (measure::Rests(job.state) && spec != nullptr) {
    absl::StrAppend(&out, "  ", state);
    if (!job.reason.empty()) absl::StrAppend(&out, ": ", job.reason);
  }
  return out;
}

void ProgressPrinter::Show(const client::Job& job, absl::Time now) {
  const std::string text = FormatProgress(job);
  if (terminal_) {
    Note(absl::StrCat("\r", text, "\x1b[K"));
    line_open_ = true;
    return;
  }
  if (text == last_text_) return;
  const bool waits = job.state == measure::JobState::kQueued;
  waits_since_ = waits ? std::min(waits_since_, now) : absl::InfiniteFuture();
  if (waits && now - waits_since_ < kShortWait) return;
  if (job.state == last_state_ && now < last_time_ + kPlainInterval) return;
  Note(absl::StrCat(text, "\n"));
  last_text_ = text;
  last_state_ = job.state;
  last_time_ = now;
}

void ProgressPrinter::Finish() {
  if (line_open_) Note("\n");
  line_open_ = false;
}

}  // namespace alt::cli
