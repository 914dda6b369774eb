#include "server/job/query.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/lower/lower.h"
#include "server/job/tuning_task.h"
#include "server/search/space/space.h"

namespace alt::job {
namespace {

// Of the nearest workloads' candidates the first that lowers is taken.
constexpr int64_t kMostNeighbours = 8;

bool HasLayouts(const workload::Candidate& candidate, const FixedLayouts& fixed_layouts) {
  return std::all_of(fixed_layouts.begin(), fixed_layouts.end(), [&](const auto& fixed) {
    const auto it = candidate.layouts.find(fixed.first);
    return fixed.second == (it == candidate.layouts.end() ? layout::Layout() : it->second);
  });
}

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
  if (!candidate || !HasLayouts(*candidate, query.fixed_layouts) ||
      !lower::Lower(query.workload, *candidate, query.target).ok()) {
    return std::nullopt;
  }
  const std::string workload = workload::Print(query.workload);
  std::string reason = absl::StrCat(miss, "; nearest: ");
  if (neighbour.workload != workload) {
    absl::StrAppend(&reason, neighbour.workload, " (",
                    DescribeDifference(workload, neighbour.workload), ")");
  }
  if (neighbour.target != target) absl::StrAppend(&reason, " for ", neighbour.target);
  return Answer{.source = AnswerSource::kNearest,
                .reason = std::move(reason),
                .record = neighbour.best.record,
                .candidate = *std::move(candidate)};
}

// The same workload, tuned for another target.
std::vector<store::Neighbour> OtherTargets(const store::TuningStore& store,
                                           store::ChampionKey key) {
  std::vector<store::Neighbour> out;
  const std::string wanted = key.target;
  for (const std::string& target : store.TargetsOf(key.workload)) {
    if (target == wanted) continue;
    key.target = target;
    if (auto best = store.FindBest(key, TrustAll, Parses)) {
      out.push_back({.workload = key.workload, .target = target, .best = *std::move(best)});
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<Answer> FindBest(const store::TuningStore& store, const QuerySpec& query) {
  const store::ChampionKey key = ChampionKeyOf(query);
  if (const auto best = store.FindBest(key, TrustAll, Parses)) {
    return Answer{.source = AnswerSource::kExact,
                  .record = best->record,
                  .candidate = *Parsed(best->candidate),
                  .latency = best->latency,
                  .peak_gflops = best->peak_gflops};
  }
  const std::string target = key.target;
  std::string reason = Miss(store, query, key.workload, target);
  std::vector<store::Neighbour> neighbours;
  if (query.any_target) neighbours = OtherTargets(store, key);
  store::ChampionKey near = key;
  if (query.any_target) near.target.clear();
  for (store::Neighbour& neighbour : store.FindNearest(near, kMostNeighbours)) {
    neighbours.push_back(std::move(neighbour));
  }
  for (const store::Neighbour& neighbour : neighbours) {
    if (auto adapted = Adapt(query, target, neighbour, reason)) return *std::move(adapted);
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
