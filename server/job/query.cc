#include "server/job/query.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/lower/lower.h"
#include "common/measure/validators.h"
#include "server/job/tuning_task.h"
#include "server/search/evaluator.h"

namespace alt::job {
namespace {

// Of the nearest workloads' candidates the first that lowers is taken.
constexpr int64_t kMostNeighbours = 8;

std::optional<workload::Candidate> Parsed(absl::string_view text) {
  absl::StatusOr<workload::Candidate> candidate = workload::ParseCandidate(text);
  if (!candidate.ok()) return std::nullopt;
  return *std::move(candidate);
}
bool Parses(absl::string_view text) { return workload::ParseCandidate(text).ok(); }
bool TrustAll(const measure::Validators&) { return true; }

// Why there is no exact answer.
std::string Miss(const store::TuningStore& store, const QuerySpec& query,
                 const std::string& workload, const std::string& target) {
  const std::vector<std::string> targets = store.TargetsOf(workload);
  const std::set<std::string> others(targets.begin(), targets.end());
  if (others.contains(target)) {
    return query.fixed_layouts.empty() ? "no usable record of this workload and target"
                                       : absl::StrCat("no record of this workload has ",
                                                      PrintFixedLayouts(query.fixed_layouts));
  }
  if (others.empty()) return "this workload was never tuned";
  return absl::StrCat("this workload was tuned for ", absl::StrJoin(others, ", "), ", not for ",
                      target);
}

absl::StatusOr<Answer> Default(const QuerySpec& query, std::string reason) {
  const search::SpaceOptions options{query.fixed_layouts};
  Answer out{.source = AnswerSource::kDefault, .reason = std::move(reason)};
  ALT_ASSIGN_OR_RETURN(out.candidate,
                       search::DefaultCandidate(query.workload, query.target, options));
  return out;
}

// A neighbour's candidate, replayed on the workload that was asked for.
std::optional<Answer> Adapt(const QuerySpec& query, const std::string& target,
                            const store::Neighbour& neighbour, const std::string& miss) {
  std::optional<workload::Candidate> candidate = Parsed(neighbour.best.candidate);
  if (!candidate || !workload::HasLayouts(*candidate, query.fixed_layouts) ||
      !lower::Lower(query.workload, *candidate, query.target).ok()) {
    return std::nullopt;
  }
  const std::string workload = workload::Print(query.workload);
  std::vector<std::string> nearest;
  if (neighbour.workload != workload) {
    nearest.push_back(absl::StrCat(neighbour.workload, " (",
                                   DescribeDifference(workload, neighbour.workload), ")"));
  }
  if (neighbour.target != target) nearest.push_back(absl::StrCat("for ", neighbour.target));
  std::string reason = miss;
  if (!nearest.empty()) absl::StrAppend(&reason, "; nearest: ", absl::StrJoin(nearest, " "));
  return Answer{.source = AnswerSource::kNearest,
                .reason = std::move(reason),
                .record = neighbour.best.record,
                .candidate = *std::move(candidate)};
}

// The same workload, tuned for other targets that `accept` takes.
std::vector<store::Neighbour> OtherTargets(const store::TuningStore& store, store::ChampionKey key,
                                           absl::FunctionRef<bool(const target::Target&)> accept) {
  std::vector<store::Neighbour> out;
  const std::string wanted = key.target;
  for (const std::string& text : store.TargetsOf(key.workload)) {
    const absl::StatusOr<target::Target> target = target::ParseTarget(text);
    if (text == wanted || !target.ok() || !accept(*target)) continue;
    key.target = text;
    if (auto best = store.FindBest(key, TrustAll, Parses)) {
      out.push_back({.workload = key.workload, .target = text, .best = *std::move(best)});
    }
  }
  return out;
}

// ... with another number of threads, the nearest number first.
std::vector<store::Neighbour> OtherThreads(const store::TuningStore& store, const QuerySpec& query,
                                           const store::ChampionKey& key) {
  const auto distance = [&](const target::Target& target) {
    return std::abs(std::log2(target.threads) - std::log2(query.target.threads));
  };
  std::vector<store::Neighbour> out = OtherTargets(store, key, [&](target::Target target) {
    target.threads = query.target.threads;
    return target == query.target;
  });
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    return distance(*target::ParseTarget(a.target)) < distance(*target::ParseTarget(b.target));
  });
  return out;
}

std::vector<measure::Validators> FactsThatCount(const store::TuningStore& store,
                                                const QuerySpec& query, const std::string& target,
                                                const std::vector<measure::Validators>& workers) {
  if (query.validators) return {*query.validators};
  if (!workers.empty()) return workers;
  const auto newest = store.NewestValidators(target);
  return newest ? std::vector{*newest} : std::vector<measure::Validators>();
}

void Append(std::vector<store::Neighbour> from, std::vector<store::Neighbour>* to) {
  std::move(from.begin(), from.end(), std::back_inserter(*to));
}

}  // namespace

absl::StatusOr<Answer> FindBest(const store::TuningStore& store, const QuerySpec& query,
                                const std::vector<measure::Validators>& workers) {
  const store::ChampionKey key = ChampionKeyOf(query);
  const std::vector<measure::Validators> here = FactsThatCount(store, query, key.target, workers);
  const auto trust = [&](const measure::Validators& validators) {
    return std::find(here.begin(), here.end(), validators) != here.end();
  };
  if (const auto best = store.FindBest(key, trust, Parses)) {
    return Answer{.source = AnswerSource::kExact,
                  .record = best->record,
                  .candidate = *Parsed(best->candidate),
                  .latency = best->latency,
                  .peak_gflops = best->peak_gflops};
  }
  std::vector<store::Neighbour> neighbours;
  std::string reason;
  if (auto stale = store.FindBest(key, TrustAll, Parses); stale && !here.empty()) {
    reason = absl::StrCat("what is known of this workload was measured with ",
                          measure::DescribeDifference(stale->validators, here.front()),
                          "; tuning it again measures it anew");
    neighbours.push_back({.workload = key.workload, .target = key.target, .best = *stale});
  } else {
    reason = Miss(store, query, key.workload, key.target);
  }
  Append(OtherThreads(store, query, key), &neighbours);
  store::ChampionKey near = key;
  if (query.any_target) {
    Append(OtherTargets(store, key, [](const target::Target&) { return true; }), &neighbours);
    near.target.clear();
  }
  Append(store.FindNearest(near, kMostNeighbours), &neighbours);
  for (const store::Neighbour& neighbour : neighbours) {
    if (auto adapted = Adapt(query, key.target, neighbour, reason)) return *std::move(adapted);
  }
  absl::StrAppend(&reason, neighbours.empty() ? ", and no other one of its kind for this target"
                                              : ", and no candidate of a similar one fits");
  return Default(query, std::move(reason));
}

std::string DescribeDifference(absl::string_view wanted, absl::string_view other) {
  const std::vector<absl::string_view> a = absl::StrSplit(wanted, absl::ByAnyChar(":,;"));
  const std::vector<absl::string_view> b = absl::StrSplit(other, absl::ByAnyChar(":,;"));
  if (a.size() != b.size() || a[0] != b[0]) return "another operator";
  std::vector<std::string> out;
  for (size_t i = 1; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    out.push_back(absl::StrCat(b[i], " instead of ", a[i].substr(a[i].find('=') + 1)));
  }
  return absl::StrJoin(out, ", ");
}

}  // namespace alt::job
