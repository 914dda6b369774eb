// What tests of the search space share.
#ifndef TESTS_SERVER_SEARCH_SPACE_FIXTURE_H_
#define TESTS_SERVER_SEARCH_SPACE_FIXTURE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "server/search/sampler.h"
#include "server/search/space/space.h"

namespace alt::search {

inline workload::Workload WorkloadOf(const std::string& text) {
  auto workload = workload::Parse(text);
  ALT_CHECK_OK(workload) << text;
  return *std::move(workload);
}

inline target::Target TargetOf(const std::string& text) {
  auto target = target::ParseTarget(text);
  ALT_CHECK_OK(target) << text;
  return *std::move(target);
}

inline layout::Layout LayoutOf(const std::string& text) {
  auto layout = layout::Parse(text);
  ALT_CHECK_OK(layout) << text;
  return *std::move(layout);
}

// "x" -> "reorder(0,2,3,1)"
inline SpaceOptions Fixed(const std::map<std::string, std::string>& layouts) {
  SpaceOptions options;
  for (const auto& [tensor, text] : layouts) options.fixed_layouts[tensor] = LayoutOf(text);
  return options;
}

inline target::Target Avx512() { return TargetOf("cpu:mcpu=znver4,vec=512,threads=1"); }
inline target::Target Avx2OfTwoThreads() { return TargetOf("cpu:mcpu=haswell,vec=256,threads=2"); }

inline std::unique_ptr<Space> SpaceOf(const workload::Workload& workload,
                                      const target::Target& target, SpaceOptions options = {}) {
  auto space = Space::Create(workload, target, std::move(options));
  ALT_CHECK_OK(space);
  return *std::move(space);
}

// Uniform points.
inline std::vector<workload::Candidate> RandomCandidates(const Space& space, uint64_t seed,
                                                         int count) {
  Sampler sampler(space, seed);
  std::vector<workload::Candidate> candidates;
  for (int i = 0; i < count; ++i) candidates.push_back(sampler.Uniform().candidate);
  return candidates;
}

// The decision of a point by its name; null where there was none to take.
inline const Decision* Find(const Point& point, const std::string& name) {
  for (const Decision& decision : point.decisions) {
    if (decision.name == name) return &decision;
  }
  return nullptr;
}

// How often what happened, for people.
class Reasons {
 public:
  void Add(const absl::Status& status) { ++counts_[std::string(status.message())]; }
  std::string Table() const {
    std::string table;
    for (const auto& [reason, count] : counts_) absl::StrAppend(&table, count, "x ", reason, "\n");
    return table;
  }

 private:
  std::map<std::string, int> counts_;
};

// The text of a layout of a candidate: "" for plain.
inline std::string LayoutText(const workload::Candidate& candidate, const std::string& tensor) {
  const auto found = candidate.layouts.find(tensor);
  return found == candidate.layouts.end() ? "" : layout::Print(found->second);
}

}  // namespace alt::search

#endif  // TESTS_SERVER_SEARCH_SPACE_FIXTURE_H_
