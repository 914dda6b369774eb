#include "server/job/play_log.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::job {
namespace {

// "" when alike, else the first difference.
std::string Difference(const store::LoggedProposal& then, const search::Batch& now) {
  const store::LoggedProposal proposal = ToLog(now);
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

class LogPlayer {
 public:
  LogPlayer(const store::JobLog& log, search::Tuner& tuner) : tuner_(tuner) {
    for (const store::LoggedResult& logged : log.results) {
      results_[logged.place.batch][logged.place.index] = &logged.result;
    }
    TakeProposals(tuner_, proposed_);
  }

  // The batch that the tuner proposes where the log has this one.
  absl::StatusOr<search::Batch> Propose(const store::LoggedProposal& logged) {
    if (proposed_.empty()) {
      return absl::DataLossError(absl::StrCat("batch ", logged.batch, ": nothing is proposed"));
    }
    search::Batch batch = std::move(proposed_.front());
    proposed_.pop_front();
    const std::string difference = Difference(logged, batch);
    if (!difference.empty()) return absl::DataLossError(difference);
    sizes_[batch.number] = static_cast<int64_t>(batch.candidates.size());
    return batch;
  }

  absl::Status Observe(int64_t batch) {
    std::vector<measure::MeasureResult> results;
    for (int64_t i = 0; i < sizes_[batch]; ++i) {
      const auto found = results_[batch].find(i);
      if (found == results_[batch].end()) {
        return absl::DataLossError(
            absl::StrCat("batch ", batch, " is observed without a result of candidate ", i));
      }
      results.push_back(*found->second);
    }
    const absl::Status status = tuner_.Observe(batch, results);
    if (!status.ok()) return absl::DataLossError(status.message());
    TakeProposals(tuner_, proposed_);
    return absl::OkStatus();
  }

  void FinishEarly() {
    tuner_.FinishEarly();
    TakeProposals(tuner_, proposed_);
  }

  std::deque<search::Batch> TakeRest() { return std::move(proposed_); }

 private:
  search::Tuner& tuner_;
  std::map<int64_t, std::map<int64_t, const measure::MeasureResult*>> results_;  // batch, index
  std::map<int64_t, int64_t> sizes_;  // of the batches seen
  std::deque<search::Batch> proposed_;
};

}  // namespace

void TakeProposals(search::Tuner& tuner, std::deque<search::Batch>& proposed) {
  while (std::optional<search::Batch> batch = tuner.Next()) proposed.push_back(*std::move(batch));
}

absl::StatusOr<std::deque<search::Batch>> PlayLog(
    const store::JobLog& log, search::Tuner& tuner,
    absl::FunctionRef<void(const search::Batch&)> on_proposal,
    absl::FunctionRef<void()> on_observed) {
  LogPlayer player(log, tuner);
  for (const store::LogEvent& event : log.events) {
    if (const auto* proposal = std::get_if<store::LoggedProposal>(&event)) {
      ALT_ASSIGN_OR_RETURN(const search::Batch batch, player.Propose(*proposal));
      on_proposal(batch);
    } else if (const auto* observation = std::get_if<store::LoggedObservation>(&event)) {
      ALT_RETURN_IF_ERROR(player.Observe(observation->batch));
      on_observed();
    } else {
      player.FinishEarly();
    }
  }
  return player.TakeRest();
}

}  // namespace alt::job
