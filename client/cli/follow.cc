#include "client/cli/follow.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "common/base/status_macros.h"

namespace alt::cli {
namespace {

std::string ResumeAdvice(const Session& session, const std::string& job) {
  return absl::StrCat("go on with: ", session.CommandLine(absl::StrCat("resume ", job)));
}

// The job is stopped before we go: a private server ends with us. Its state becomes the result.
absl::Status HandleInterrupt(Context& context, Session& session, const std::string& job,
                             OnInterrupt on_interrupt) {
  if (on_interrupt == OnInterrupt::kDetach) {
    return CliError(ExitCode::kInterrupted,
                    absl::StrCat("no longer watching ", job, "; it goes on"), "",
                    session.CommandLine(absl::StrCat("watch ", job)));
  }
  session.client().ClearInterrupt();
  session.client().SetPatience(absl::Seconds(5));
  const absl::StatusOr<job::Job> stopped = session.client().CancelJob(job);
  if (on_interrupt == OnInterrupt::kDrop) return CliError(ExitCode::kInterrupted, "interrupted");
  if (!stopped.ok()) {
    return CliError(ExitCode::kInterrupted,
                    absl::StrCat("interrupted, and ", job, " could not be stopped"),
                    stopped.status().message(), ResumeAdvice(session, job));
  }
  context.result = ResultJson(*stopped);
  std::string kept;
  if (const auto* tune = std::get_if<job::TuneProgress>(&stopped->progress)) {
    kept = absl::StrCat(" after ", Counted(tune->trials, "trial"));
  }
  return CliError(ExitCode::kInterrupted,
                  absl::StrCat("interrupted", kept, "; ", job, " is stopped, nothing is lost"), "",
                  ResumeAdvice(session, job));
}

// A job that rests has succeeded, or something is to be said about it.
absl::StatusOr<job::Job> CheckEnd(Context& context, const Session& session, job::Job job,
                                  OnInterrupt on_interrupt) {
  const bool failed = job.state == job::JobState::kFailed;
  const bool stopped = job.state == job::JobState::kStopped;
  if (!failed && !(stopped && on_interrupt != OnInterrupt::kDetach)) return job;
  context.result = ResultJson(job);
  // What failed before anything was measured would fail again.
  const auto* tune = std::get_if<job::TuneProgress>(&job.progress);
  const bool worth_resuming = stopped || (tune != nullptr && tune->trials > 0);
  return CliError(ExitCode::kFailed,
                  absl::StrCat("job ", job.id, failed ? " failed" : " was stopped"), job.reason,
                  worth_resuming ? ResumeAdvice(session, job.id) : "");
}

}  // namespace

absl::StatusOr<job::Job> Submit(Session& session, const job::JobSpec& spec) {
  absl::StatusOr<job::Job> job = session.client().CreateJob(spec, client::NewRequestId());
  if (!job.ok()) return Explain(job.status(), "the server does not take the job");
  return job;
}

absl::StatusOr<job::Job> Follow(Context& context, Session& session, const std::string& job,
                                OnInterrupt on_interrupt) {
  ProgressPrinter progress(context);
  int64_t most_trials = 0;
  while (true) {
    absl::Status worker;
    absl::StatusOr<job::Job> end = session.client().WatchJob(job, [&](const job::Job& state) {
      progress.Show(state, absl::Now());
      if (context.options.json) context.result = ResultJson(state);
      const auto* tune = std::get_if<job::TuneProgress>(&state.progress);
      if (tune != nullptr && tune->trials > most_trials) {
        most_trials = tune->trials;
        session.NoteProgress();
      }
      worker = session.KeepWorker();
      if (!worker.ok()) session.client().Interrupt();
    });
    const bool interrupted = context.interrupts.interrupted();
    if (end.ok() || interrupted || !worker.ok()) progress.Finish();
    if (interrupted) return HandleInterrupt(context, session, job, on_interrupt);
    if (!worker.ok()) {
      session.client().ClearInterrupt();
      session.client().CancelJob(job).IgnoreError();
      return Explain(worker, absl::StrCat("job ", job, " is stopped"), ResumeAdvice(session, job));
    }
    if (end.ok()) return CheckEnd(context, session, *std::move(end), on_interrupt);

    const absl::Status reopened = session.Reopen(end.status());
    if (absl::IsNotFound(reopened)) {
      return Explain(reopened, absl::StrCat("cannot follow ", job), "`alt jobs` lists jobs");
    }
    if (!reopened.ok()) return Explain(reopened, absl::StrCat("lost track of job ", job));
    progress.Finish();
    Note("lost the server; started another one, the job goes on\n");
    const absl::Status resumed = session.client().ResumeJob(job).status();
    if (!resumed.ok()) return Explain(resumed, absl::StrCat("cannot resume ", job));
  }
}

namespace {

// The trial that found the winner; 0 where it is none of this job's.
int64_t WinningTrial(Session& session, const job::Job& job, const std::string& record) {
  const auto trials = session.client().ListTrials(job.id);
  if (!trials.ok()) return 0;
  for (const job::Trial& trial : *trials) {
    if (trial.record == record) return trial.trial;
  }
  return 0;
}

// The result stands last: what scrolls away is what matters less.
void PrintBest(const job::TuneSpec& spec, const job::TuneProgress& tune, int64_t trial) {
  const double ns = tune.best->latency.median_ns;
  Out(absl::StrFormat(
      "layouts\n%sbest      %s, %.1f GFLOP/s", DescribeLayouts(spec.workload, tune.best->candidate),
      FormatLatency(tune.best->latency), GflopsOf(spec.workload, tune.best->latency)));
  if (const auto share = PeakShare(spec, tune)) {
    Out(absl::StrFormat(", %.1f%% of peak", 100 * *share));
  }
  if (tune.default_latency) {
    Out(absl::StrFormat(", %.2fx the default schedule", tune.default_latency->median_ns / ns));
  }
  if (trial > 0) Out(absl::StrCat(", trial ", trial));
  Out("\n");
}

}  // namespace

void PrintTuned(Context& context, Session& session, const job::Job& job) {
  const auto& spec = std::get<job::TuneSpec>(job.spec);
  const auto* tune = std::get_if<job::TuneProgress>(&job.progress);
  if (tune == nullptr) return;
  context.result = ToJson(job, spec, *tune);
  const int64_t trial = tune->best ? WinningTrial(session, job, tune->best->record) : 0;
  if (trial > 0) context.result["best"]["trial"] = trial;
  if (context.options.json) return;
  Out(absl::StrFormat("job       %s, %s\nworkload  %s\ntarget    %s\ntrials    %d in %s: %s\n",
                      job.id, job::JobStateName(job.state), ShortName(spec.workload),
                      target::PrintTarget(spec.target), tune->trials,
                      FormatSeconds(absl::ToDoubleSeconds(job.active)), DescribeOutcomes(*tune)));
  if (!tune->best) return;
  PrintBest(spec, *tune, trial);
  if (tune->disturbed) {
    Note("the host was busy whenever the finalists were compared: tune again when it is quiet\n");
  }
  if (!tune->best->record.empty()) {
    const std::string compile = absl::StrCat("compile ", ShellWord(ShortName(spec.workload)),
                                             " -o kernel.so", TargetOption(session, spec.target));
    Note(absl::StrCat("next: ", session.CommandLine(absl::StrCat("show ", tune->best->record)),
                      "\n      ", session.CommandLine(compile), "\n"));
  }
}

}  // namespace alt::cli
