#ifndef SERVER_SEARCH_SPACE_SPACE_H_
#define SERVER_SEARCH_SPACE_SPACE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"
#include "server/search/space/decision.h"

namespace alt::search {

struct SpaceOptions {
  std::map<std::string, layout::Layout> fixed_layouts;  // by tensor; an empty layout means plain
  std::optional<workload::Algorithm> algorithm;         // the only one; absent: the space chooses
};

// One way to compute a workload: what the rules decided, and the candidate that this makes, not
// lowered yet.
struct Point {
  std::vector<Decision> decisions;  // in the order in which they were taken
  workload::Candidate candidate;
};

// All ways to compute a workload that search considers, derived from its stages by rules
// (docs/search.md#the-space): layouts of all tensors, then loops of all stages. It knows no
// operator. Immutable.
class Space {
 public:
  // InvalidArgument when a fixed layout does not apply.
  static absl::StatusOr<std::unique_ptr<Space>> Create(const workload::Workload& workload,
                                                       const target::Target& target,
                                                       SpaceOptions options);

  // Runs the rules, which ask `choose` for each decision that leaves a choice.
  Point Build(Choose choose) const;
  // The point nearest to the wishes. Without wishes: the rules' first choices, the default
  // schedule.
  Point At(const Wishes& wishes) const;

  // Well-known layouts, best guess first: they start every search.
  const std::vector<Wishes>& Seeds() const { return seeds_; }

 private:
  // The stages under an algorithm, logical.
  struct Form {
    workload::Algorithm algorithm;
    te::Graph graph;
  };

  Space(target::Target target, SpaceOptions options)
      : target_(std::move(target)), options_(std::move(options)) {}
  // All forms of the workload: conversions of any of the ends that may have one.
  absl::Status AddForms(const workload::Workload& workload);
  const Form& ChooseForm(Decider& decide) const;

  const target::Target target_;
  const SpaceOptions options_;
  std::vector<std::string> ends_;  // that a conversion may stand at
  std::vector<int64_t> converts_;  // for each, the first choice: 1 where one is worth while
  std::vector<Form> forms_;        // bit i of the index: whether end i is converted
  std::vector<Wishes> seeds_;
};

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_SPACE_H_
