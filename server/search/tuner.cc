// The tuner under every policy: baseline, trials in batches, baseline again, finalists.
//
//   baseline (candidate 0) -> trials, trials, ... -> baseline -> finalists -> done
//                                                                 ^      |
//                                                                 +------+ while others disturb it
//
// It keeps what was proposed, so that no candidate is a trial twice, and what was OK, to choose the
// finalists from.

#include "server/search/tuner.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/search/evaluator.h"
#include "server/search/policy.h"

namespace alt::search {
namespace {

constexpr size_t kBatch = 16;     // trials proposed together
constexpr size_t kFinalists = 4;  // the best few, timed in turns at the end
// Of the trials, for the finalists: candidate 0 and the champion may be among them, more than once.
constexpr size_t kKept = kFinalists + 8;
constexpr size_t kFailureRows = 10;        // of the table when nothing could be measured
constexpr int64_t kProposalsPerTrial = 4;  // bound for spaces that are exhausted
constexpr int kAttemptsPerProposal = 200;  // points asked of the policy for one legal new candidate
constexpr int kComparisons =
    3;  // of the finalists, while others load the host; the last one counts

class BatchTuner : public Tuner {
 public:
  BatchTuner(TuningTask task, std::unique_ptr<Evaluator> evaluator, workload::Candidate baseline)
      : task_(std::move(task)), evaluator_(std::move(evaluator)), baseline_(std::move(baseline)) {}

  absl::Status Start() {
    baseline_point_ = FindBaseline();
    ALT_ASSIGN_OR_RETURN(policy_, MakePolicy(task_.policy, *evaluator_, task_.seed));
    for (const TuningTask::Known& known : task_.known) {
      if (!workload::HasLayouts(known.candidate, task_.fixed_layouts)) continue;
      const std::string key = workload::Key(known.candidate);
      seen_.insert(key);
      Remember(known.candidate, known.result);
      known_[key] =
          known.result.latency ? std::optional(known.result.latency->median_ns) : std::nullopt;
    }
    seen_.insert(workload::Key(baseline_));
    return absl::OkStatus();
  }

  std::optional<Batch> Next() override {
    if (done() || in_flight_.size() >= 2) return std::nullopt;
    switch (phase_) {
      case Phase::kFirstBaseline:
        phase_ = Phase::kTrials;
        return Send(BatchKind::kBaseline, {baseline_});
      case Phase::kTrials:
        return NextTrials();
      case Phase::kLastBaseline:
        if (!in_flight_.empty()) return std::nullopt;  // all trials are in before the drift is seen
        phase_ = Phase::kFinalists;
        return Send(BatchKind::kBaseline, {baseline_});
      case Phase::kFinalists:
        if (!in_flight_.empty()) return std::nullopt;
        phase_ = Phase::kDone;
        return Send(BatchKind::kFinalists, Finalists());
      case Phase::kDone:
        return std::nullopt;
    }
    return std::nullopt;
  }

  absl::Status Observe(int64_t batch_number,
                       const std::vector<measure::MeasureResult>& results) override {
    if (in_flight_.empty() || in_flight_.front().batch.number != batch_number) {
      return absl::InvalidArgumentError(
          absl::StrCat("batch ", batch_number, " is not the oldest in flight"));
    }
    if (results.size() != in_flight_.front().batch.candidates.size()) {
      return absl::InvalidArgumentError(absl::StrCat("batch ", batch_number, " has ",
                                                     in_flight_.front().batch.candidates.size(),
                                                     " candidates, not ", results.size()));
    }
    const InFlight done = std::move(in_flight_.front());
    in_flight_.pop_front();
    if (done.batch.kind == BatchKind::kFinalists) {
      ObserveComparison(done.batch, results);
      return absl::OkStatus();
    }
    for (size_t i = 0; i < results.size(); ++i) ObserveOne(done, i, results[i]);
    if (task_.patience > 0 && since_best_ >= task_.patience) FinishEarly();
    // Others take the place of trials that were none.
    if (phase_ == Phase::kLastBaseline && !ends_early_ && trials_ < task_.trials) {
      phase_ = Phase::kTrials;
    }
    return absl::OkStatus();
  }

  void FinishEarly() override {
    if (phase_ == Phase::kFirstBaseline || phase_ == Phase::kTrials) phase_ = Phase::kLastBaseline;
    ends_early_ = true;
  }

  bool done() const override { return phase_ == Phase::kDone && in_flight_.empty(); }

  absl::StatusOr<TuningSummary> Summary() const override {
    if (!done()) return absl::FailedPreconditionError("the tuner is not done");
    // A comparison that failed as a whole says nothing of its candidates: the trials stand.
    const bool unconfirmed = !summary_ && any_ok_ && !good_.empty();
    if (!summary_ && !unconfirmed) {
      return absl::FailedPreconditionError("no candidate could be measured:" + FailureTable());
    }
    TuningSummary summary = unconfirmed ? BestOfTrials() : *summary_;
    summary.trials = trials_;
    summary.proposals = proposals_;
    return summary;
  }

 private:
  enum class Phase { kFirstBaseline, kTrials, kLastBaseline, kFinalists, kDone };
  struct InFlight {
    Batch batch;
    std::vector<Point> points;  // of trials
  };
  struct Good {
    double median_ns;
    std::string key;  // ties have an order
    workload::Candidate candidate;
    measure::Latency latency;
    std::optional<double> peak_gflops;
    friend bool operator<(const Good& a, const Good& b) {
      return std::tie(a.median_ns, a.key) < std::tie(b.median_ns, b.key);
    }
  };

  // The seed that the default schedule is; none where it is plain loops.
  std::optional<Point> FindBaseline() const {
    for (const Wishes& seed : evaluator_->space().Seeds()) {
      Point point = evaluator_->space().At(seed);
      if (point.candidate == baseline_) return point;
    }
    return std::nullopt;
  }

  std::optional<Batch> NextTrials() {
    std::vector<workload::Candidate> candidates;
    std::vector<Point> points;
    const int64_t left = task_.trials - trials_;
    while (static_cast<int64_t>(candidates.size()) < std::min<int64_t>(kBatch, left)) {
      if (!ProposeOne(candidates, points)) break;
    }
    if (candidates.empty()) {
      if (left > 0) ends_early_ = true;  // the space has no more, or too little that is legal
      phase_ = Phase::kLastBaseline;
      return Next();
    }
    trials_ += static_cast<int64_t>(candidates.size());
    std::optional<Batch> batch = Send(BatchKind::kTrials, std::move(candidates));
    in_flight_.back().points = std::move(points);
    return batch;
  }

  // A legal candidate that was never measured; false when none was found within the bounds.
  bool ProposeOne(std::vector<workload::Candidate>& candidates, std::vector<Point>& points) {
    for (int attempt = 0; attempt < kAttemptsPerProposal; ++attempt) {
      if (proposals_ >= kProposalsPerTrial * std::max<int64_t>(task_.trials, 1)) break;
      Point point = policy_->Propose();
      const std::string key = workload::Key(point.candidate);
      const auto known = known_.find(key);
      if (known != known_.end()) {
        // The database's answer, told once.
        policy_->Learn(point, known->second);
        known_.erase(known);
      }
      if (!seen_.insert(key).second) continue;
      ++proposals_;
      if (!evaluator_->LoopsOf(point.candidate)->ok()) continue;
      candidates.push_back(point.candidate);
      points.push_back(std::move(point));
      return true;
    }
    return false;
  }

  std::optional<Batch> Send(BatchKind kind, std::vector<workload::Candidate> candidates) {
    Batch batch;
    batch.number = next_batch_++;
    batch.kind = kind;
    batch.candidates = std::move(candidates);
    batch.mode = kind == BatchKind::kFinalists ? measure::MeasureMode::kCompare
                                               : measure::MeasureMode::kSearch;
    if (kind == BatchKind::kTrials && !good_.empty()) batch.incumbent_ns = good_.begin()->median_ns;
    in_flight_.push_back({batch, {}});
    return batch;
  }

  void ObserveOne(const InFlight& done, size_t i, const measure::MeasureResult& result) {
    const workload::Candidate& candidate = done.batch.candidates[i];
    const double best_before = good_.empty() ? 0 : good_.begin()->median_ns;
    Remember(candidate, result);
    const bool ok = result.outcome == measure::Outcome::kOk && result.latency.has_value();
    any_ok_ = any_ok_ || ok;
    const auto latency_ns = ok ? std::optional(result.latency->median_ns) : std::nullopt;
    if (done.batch.kind == BatchKind::kBaseline) {
      if (baseline_point_) policy_->Learn(*std::exchange(baseline_point_, {}), latency_ns);
      return;
    }
    policy_->Learn(done.points[i], latency_ns);
    if (result.outcome == measure::Outcome::kWorkerLost) {
      --trials_;  // not measured
      return;
    }
    const bool better = ok && (best_before == 0 || result.latency->median_ns < best_before);
    since_best_ = better ? 0 : since_best_ + 1;
  }

  void Remember(const workload::Candidate& candidate, const measure::MeasureResult& result) {
    if (result.outcome != measure::Outcome::kOk || !result.latency) {
      ++failures_[absl::StrCat(measure::OutcomeName(result.outcome), ": ", result.message)];
    } else if (!result.censored) {
      good_.insert({result.latency->median_ns, workload::Key(candidate), candidate, *result.latency,
                    result.peak_gflops});
      if (good_.size() > kKept) good_.erase(std::prev(good_.end()));
    }
  }

  // What failed, most frequent first.
  std::string FailureTable() const {
    std::vector<std::pair<int64_t, std::string>> rows;
    for (const auto& [reason, count] : failures_) rows.emplace_back(-count, reason);
    std::sort(rows.begin(), rows.end());
    std::string table;
    for (size_t i = 0; i < std::min(rows.size(), kFailureRows); ++i) {
      absl::StrAppend(&table, "\n  ", -rows[i].first, "x ", rows[i].second);
    }
    if (rows.size() > kFailureRows) {
      absl::StrAppend(&table, "\n  and ", rows.size() - kFailureRows, " other reasons");
    }
    return table;
  }

  // The best few, candidate 0, and the champion of the database, each once.
  std::vector<workload::Candidate> Finalists() const {
    std::vector<workload::Candidate> finalists{baseline_};
    std::set<std::string> keys{workload::Key(baseline_)};
    const auto add = [&](const workload::Candidate& candidate) {
      if (keys.insert(workload::Key(candidate)).second) finalists.push_back(candidate);
    };
    if (task_.incumbent) add(*task_.incumbent);
    for (const workload::Candidate& candidate : task_.stale) add(candidate);
    const size_t most = finalists.size() + kFinalists;
    for (const Good& good : good_) {
      if (finalists.size() >= most) break;
      add(good.candidate);
    }
    return finalists;
  }

  // Latencies of one comparison are from the same rounds: it counts as a whole. One that others
  // disturbed stands until the next.
  void ObserveComparison(const Batch& batch, const std::vector<measure::MeasureResult>& results) {
    TuningSummary summary{.comparison = batch.number};
    bool any_ok = false, disturbed = false;
    for (size_t i = 0; i < results.size(); ++i) {
      const measure::MeasureResult& result = results[i];
      if (result.outcome != measure::Outcome::kOk || !result.latency) {
        ++failures_[absl::StrCat(measure::OutcomeName(result.outcome), ": ", result.message)];
        continue;
      }
      disturbed = disturbed || result.disturbed;
      if (batch.candidates[i] == baseline_) summary.default_latency = *result.latency;
      if (any_ok && result.latency->median_ns >= summary.best_latency.median_ns) continue;
      any_ok = true;
      summary.best = batch.candidates[i];
      summary.best_latency = *result.latency;
      summary.best_peak_gflops = result.peak_gflops;
    }
    summary.disturbed = disturbed;
    if (any_ok) summary_ = std::move(summary);
    if (disturbed && ++comparisons_ < kComparisons) phase_ = Phase::kFinalists;
  }

  TuningSummary BestOfTrials() const {
    const Good& best = *good_.begin();
    return {
        .best = best.candidate, .best_latency = best.latency, .best_peak_gflops = best.peak_gflops};
  }

  const TuningTask task_;
  const std::unique_ptr<Evaluator> evaluator_;
  const workload::Candidate baseline_;
  std::unique_ptr<Policy> policy_;
  std::optional<Point> baseline_point_;  // until the policy has learnt its latency

  Phase phase_ = Phase::kFirstBaseline;
  std::deque<InFlight> in_flight_;
  int64_t next_batch_ = 0;
  int64_t trials_ = 0;
  int64_t proposals_ = 0;
  int64_t since_best_ = 0;
  absl::flat_hash_set<std::string> seen_;               // keys that are no new trials
  std::map<std::string, std::optional<double>> known_;  // the database's latencies, until told
  std::set<Good> good_;
  bool any_ok_ = false;      // something was measured by this job
  bool ends_early_ = false;  // with fewer trials than the task has
  std::map<std::string, int64_t> failures_;
  int comparisons_ = 0;  // so far, that others disturbed
  std::optional<TuningSummary> summary_;
};

// A space in which every tensor keeps the layout that it has in a candidate.
absl::StatusOr<std::unique_ptr<Space>> LoopSpace(const TuningTask& task,
                                                 const workload::Candidate& candidate) {
  ALT_ASSIGN_OR_RETURN(const te::Graph graph,
                       workload::MakeGraph(task.workload, candidate.algorithm));
  SpaceOptions options{.algorithm = candidate.algorithm};
  for (const te::Tensor& tensor : graph.tensors) options.fixed_layouts[tensor.buffer->name] = {};
  for (const auto& [tensor, layout] : candidate.layouts) options.fixed_layouts[tensor] = layout;
  return Space::Create(task.workload, task.target, std::move(options));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tuner>> Tuner::Create(TuningTask task) {
  if (task.policy.empty()) task.policy = kDefaultPolicy;
  const SpaceOptions options{task.fixed_layouts};
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<Space> space,
                       Space::Create(task.workload, task.target, options));
  auto evaluator = std::make_unique<Evaluator>(task.workload, task.target, std::move(space));
  ALT_ASSIGN_OR_RETURN(workload::Candidate baseline, DefaultCandidate(*evaluator, options));
  if (task.loops_only) {
    ALT_ASSIGN_OR_RETURN(space, LoopSpace(task, baseline));
    evaluator = std::make_unique<Evaluator>(task.workload, task.target, std::move(space));
  }
  auto tuner =
      std::make_unique<BatchTuner>(std::move(task), std::move(evaluator), std::move(baseline));
  ALT_RETURN_IF_ERROR(tuner->Start());
  return tuner;
}

}  // namespace alt::search
