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

// Where a running job is, first: on a narrow terminal the end of the line is cut.
std::string FormatStage(const job::Job& job, const job::TuneSpec& spec,
                        const job::TuneProgress& progress) {
  std::string out = absl::StrFormat("trial %d/%d", progress.trials, spec.trials);
  if (progress.trials >= spec.trials) return out + "  comparing finalists";
  if (progress.trials > 0) {
    const double left = absl::ToDoubleSeconds(job.active) / static_cast<double>(progress.trials) *
                        static_cast<double>(spec.trials - progress.trials);
    absl::StrAppend(&out, "  ETA ", FormatSeconds(left));
  }
  return out;
}

std::string FormatBest(const job::TuneSpec& spec, const job::TuneProgress& progress) {
  std::string out;
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
  return out;
}

std::string FormatTune(const job::Job& job, const job::TuneSpec& spec,
                       const job::TuneProgress& progress) {
  if (!job::Rests(job.state)) {
    return absl::StrCat(FormatStage(job, spec, progress), FormatBest(spec, progress));
  }
  return absl::StrCat("trial ", progress.trials, "/", spec.trials, "  ",
                      std::string(job::JobStateName(job.state)), job.reason.empty() ? "" : ": ",
                      job.reason, FormatBest(spec, progress));
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

std::string FormatProgress(const job::Job& job) {
  if (job.state == job::JobState::kQueued) {
    return absl::StrCat("waiting", job.reason.empty() ? "" : ": ", job.reason);
  }
  const auto* spec = std::get_if<job::TuneSpec>(&job.spec);
  const auto* tune = std::get_if<job::TuneProgress>(&job.progress);
  if (spec != nullptr && tune != nullptr) return FormatTune(job, *spec, *tune);
  return absl::StrCat(job.id, " ", std::string(job::JobStateName(job.state)));
}

std::string FitLine(const std::string& text, int columns) {
  // The last column stays free: some terminals go on to the next line after it.
  const size_t room = columns > 1 ? static_cast<size_t>(columns) - 1 : text.size();
  if (text.size() <= room) return text;
  return room > 3 ? text.substr(0, room - 3) + "..." : text.substr(0, room);
}

void ProgressPrinter::Show(const job::Job& job, absl::Time now) {
  const std::string text = FormatProgress(job);
  if (terminal_) {
    Note(absl::StrCat("\r", FitLine(text, TerminalColumns()), "\x1b[K"));
    line_open_ = true;
    return;
  }
  if (text == last_text_) return;
  const bool waits = job.state == job::JobState::kQueued;
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
