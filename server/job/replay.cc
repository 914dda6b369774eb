#include "server/job/replay.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::job {
namespace {

// "" when alike, else the first difference.
std::string Difference(const store::LoggedProposal& then, const std::optional<search::Batch>& now) {
  if (!now) return absl::StrCat("batch ", then.batch, ": nothing is proposed");
  const store::LoggedProposal proposal = ToLog(*now);
  if (proposal.kind != then.kind || proposal.batch != then.batch) {
    return absl::StrCat("batch ", then.batch, " of ", then.kind, " is now batch ", proposal.batch,
                        " of ", proposal.kind);
  }
  for (size_t i = 0; i < std::max(then.candidates.size(), proposal.candidates.size()); ++i) {
    const std::string was = i < then.candidates.size() ? then.candidates[i] : "nothing";
    const std::string is = i < proposal.candidates.size() ? proposal.candidates[i] : "nothing";
    if (was != is) {
      return absl::StrCat("batch ", then.batch, ", candidate ", i, " was\n", was, "and is now\n",
                          is);
    }
  }
  return proposal == then ? ""
                          : absl::StrCat("batch ", then.batch, " differs in mode or incumbent");
}

}  // namespace

absl::StatusOr<ReplayReport> Replay(const store::Job& job, const Snapshot& snapshot,
                                    const store::JobLog& log) {
  ALT_ASSIGN_OR_RETURN(search::TuningTask task, MakeTask(job, snapshot));
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<search::Tuner> tuner,
                       search::Tuner::Create(std::move(task)));
  std::map<int64_t, std::vector<measure::MeasureResult>> results;
  for (const store::LoggedResult& logged : log.results) {
    results[logged.place.batch].push_back(logged.result);
  }
  // Asked as the job asked it: for all it has, at the start and after every change.
  std::deque<search::Batch> proposed;
  const auto take = [&] {
    while (std::optional<search::Batch> batch = tuner->Next())
      proposed.push_back(*std::move(batch));
  };
  take();
  ReplayReport report;
  for (const store::LogEvent& event : log.events) {
    if (const auto* proposal = std::get_if<store::LoggedProposal>(&event)) {
      report.first_difference =
          Difference(*proposal, proposed.empty() ? std::nullopt : std::optional(proposed.front()));
      if (!report.first_difference.empty()) return report;
      report.proposals += static_cast<int64_t>(proposal->candidates.size());
      proposed.pop_front();
    } else if (const auto* observation = std::get_if<store::LoggedObservation>(&event)) {
      const absl::Status status = tuner->Observe(observation->batch, results[observation->batch]);
      if (!status.ok()) {
        report.first_difference = std::string(status.message());
        return report;
      }
      take();
    } else {
      tuner->FinishEarly();
      take();
    }
  }
  report.identical = true;
  return report;
}

}  // namespace alt::job
