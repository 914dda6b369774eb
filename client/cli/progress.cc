#include "client/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cli/output.h"
#include "client/cli/terminal.h"

namespace alt::cli {
namespace {

constexpr absl::Duration kPlainInterval = absl::Seconds(5);
constexpr absl::Duration kShortWait = absl::Seconds(3);
constexpr size_t kLeastBar = 8, kMostBar = 32;
constexpr absl::string_view kGap = "  ";

// In the order of importance: the first ones go last where there is no room.
struct Field {
  std::string text;
  Color color = Color::kNone;
};

int64_t Failed(const job::TuneProgress& progress) {
  int64_t failed = 0;
  for (const auto& [outcome, count] : progress.outcomes) {
    if (outcome != measure::Outcome::kOk) failed += count;
  }
  return failed;
}

// Where a running job is: what takes long, where something does.
std::string FormatStage(const job::Job& job, const job::TuneSpec& spec,
                        const job::TuneProgress& progress) {
  if (!job.activity.empty()) return job.activity;
  if (progress.trials >= spec.trials) return "comparing finalists";
  if (progress.trials == 0) return "";
  return absl::StrCat("ETA ", FormatSeconds(absl::ToDoubleSeconds(job.active) /
                                            static_cast<double>(progress.trials) *
                                            static_cast<double>(spec.trials - progress.trials)));
}

std::vector<Field> BestFields(const job::TuneSpec& spec, const job::TuneProgress& progress) {
  std::vector<Field> out;
  if (progress.best) {
    const measure::Latency& latency = progress.best->latency;
    out.push_back({absl::StrCat("best ", FormatNanoseconds(latency.median_ns)), Color::kBold});
    if (const auto share = PeakShare(spec, progress)) {
      out.push_back({absl::StrFormat("%.0f%% of peak", 100 * *share)});
    }
    if (progress.default_latency) {
      out.push_back({absl::StrFormat("%.2fx default",
                                     progress.default_latency->median_ns / latency.median_ns)});
    }
  }
  if (const int64_t failed = Failed(progress); failed > 0) {
    out.push_back({absl::StrCat(failed, " failed"), Color::kYellow});
  }
  if (progress.best) {
    out.push_back(
        {absl::StrFormat("%.1f GFLOP/s", GflopsOf(spec.workload, progress.best->latency))});
  }
  return out;
}

std::vector<Field> TuneFields(const job::Job& job, const job::TuneSpec& spec,
                              const job::TuneProgress& progress) {
  std::vector<Field> out = {{absl::StrCat("trial ", progress.trials, "/", spec.trials)}};
  if (job::Rests(job.state)) {
    out.push_back({absl::StrCat(std::string(job::JobStateName(job.state)),
                                job.reason.empty() ? "" : ": ", job.reason)});
  } else {
    out.push_back({FormatStage(job, spec, progress)});
  }
  if (out.back().text.empty()) out.pop_back();
  for (Field& field : BestFields(spec, progress)) out.push_back(std::move(field));
  return out;
}

std::vector<Field> Fields(const job::Job& job) {
  if (job.state == job::JobState::kQueued) {
    return {{absl::StrCat("waiting", job.reason.empty() ? "" : ": ", job.reason)}};
  }
  const auto* spec = std::get_if<job::TuneSpec>(&job.spec);
  const auto* tune = std::get_if<job::TuneProgress>(&job.progress);
  if (spec != nullptr && tune != nullptr) return TuneFields(job, *spec, *tune);
  std::vector<Field> out = {
      {absl::StrCat(job.id, ", ", job::KindName(job.spec), ": ", job::JobStateName(job.state))}};
  if (!job.activity.empty()) out.push_back({job.activity});
  return out;
}

// Of the trials that were asked for; none where that says nothing.
std::optional<double> Share(const job::Job& job) {
  const auto* spec = std::get_if<job::TuneSpec>(&job.spec);
  const auto* tune = std::get_if<job::TuneProgress>(&job.progress);
  if (spec == nullptr || tune == nullptr || job.state == job::JobState::kQueued) {
    return std::nullopt;
  }
  return std::min(1.0, static_cast<double>(tune->trials) /
                           static_cast<double>(std::max<int64_t>(spec->trials, 1)));
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

std::string FormatLatency(const measure::Latency& latency) {
  if (latency.median_ns <= 0) return FormatNanoseconds(latency.median_ns);
  return absl::StrFormat("%s ±%.1f%%", FormatNanoseconds(latency.median_ns),
                         100 * measure::PlusMinusNs(latency) / latency.median_ns);
}

std::string FormatSeconds(double seconds) {
  const int64_t whole = static_cast<int64_t>(std::lround(std::clamp(seconds, 0.0, 1e9)));
  if (whole >= 3600) {
    return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return absl::StrFormat("%d:%02d", whole / 60, whole % 60);
}

std::string FormatProgress(const job::Job& job) {
  return absl::StrJoin(Fields(job), kGap, [](std::string* out, const Field& field) {
    absl::StrAppend(out, field.text);
  });
}

std::string FormatProgressBar(const job::Job& job, int columns, bool color) {
  const std::vector<Field> fields = Fields(job);
  // As FitLine has it, the last column stays free.
  const size_t room = columns > 0 ? static_cast<size_t>(columns) - 1 : 200;
  const std::optional<double> share = Share(job);
  if (TextColumns(fields[0].text) > room) return FitLine(fields[0].text, columns);
  const bool has_bar = share && TextColumns(fields[0].text) + kGap.size() + kLeastBar <= room;
  std::string out(has_bar ? absl::StripPrefix(fields[0].text, "trial ") : fields[0].text);
  size_t used = TextColumns(out);
  const size_t least_bar = has_bar ? kGap.size() + kLeastBar : 0;
  for (size_t i = 1; i < fields.size(); ++i) {
    const size_t width = kGap.size() + TextColumns(fields[i].text);
    if (used + width + least_bar > room) continue;
    used += width;
    absl::StrAppend(&out, kGap, Colored(fields[i].text, fields[i].color, color));
  }
  if (!has_bar) return out;
  const size_t bar = std::min(room - used - kGap.size(), kMostBar);
  return absl::StrCat(Colored(ProgressBar(*share, static_cast<int>(bar)), Color::kGreen, color),
                      kGap, out);
}

ProgressPrinter::ProgressPrinter(const Context& context)
    : live_(context.environment.live),
      color_(context.environment.color),
      interrupts_(context.interrupts) {
  if (!live_) return;
  interrupts_.SetResizeHandler([this] {
    absl::MutexLock lock(&mutex_);
    if (line_open_) Draw();
  });
}

ProgressPrinter::~ProgressPrinter() {
  if (live_) interrupts_.SetResizeHandler(nullptr);
  Finish();
}

void ProgressPrinter::Draw() {
  Note(absl::StrCat("\r", FormatProgressBar(job_, TerminalColumns(STDERR_FILENO), color_),
                    "\x1b[K"));
}

void ProgressPrinter::Show(const job::Job& job, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (!live_) return ShowPlain(job, now);
  // A reason that does not fit stands above the line, once.
  const int columns = TerminalColumns(STDERR_FILENO);
  if (job.state == job::JobState::kQueued && job.reason != last_text_) {
    const std::string text = FormatProgress(job);
    if (FitLine(text, columns) != text) Note(absl::StrCat("\r\x1b[K", text, "\n"));
    last_text_ = job.reason;
  }
  job_ = job;
  line_open_ = true;
  Draw();
}

void ProgressPrinter::ShowPlain(const job::Job& job, absl::Time now) {
  const std::string text = FormatProgress(job);
  if (text == last_text_) return;
  const bool waits = job.state == job::JobState::kQueued;
  waits_since_ = waits ? std::min(waits_since_, now) : absl::InfiniteFuture();
  if (waits && now - waits_since_ < kShortWait) return;
  const bool begins = !job.activity.empty() && job.activity != last_activity_;
  if (job.state == last_state_ && !begins && now < last_time_ + kPlainInterval) return;
  Note(absl::StrCat(text, "\n"));
  last_activity_ = job.activity;
  last_text_ = text;
  last_state_ = job.state;
  last_time_ = now;
}

void ProgressPrinter::Finish() {
  absl::MutexLock lock(&mutex_);
  if (line_open_) Note("\n");
  line_open_ = false;
}

}  // namespace alt::cli
