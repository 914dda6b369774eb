#ifndef SERVER_SEARCH_EVALUATOR_H_
#define SERVER_SEARCH_EVALUATOR_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/lower/lower.h"
#include "server/search/space/space.h"

namespace alt::search {

// What tuner and policies know of points without measuring: the loops of the candidate (where
// features are read) or why lowering refuses it. Each candidate is lowered once, as long as it is
// among the newest. One thread at a time.
class Evaluator {
 public:
  // The loops of a candidate that a worker can build, or the refusal.
  using Loops = absl::StatusOr<lower::Kernel>;

  Evaluator(workload::Workload workload, target::Target target, std::unique_ptr<Space> space)
      : workload_(std::move(workload)), target_(std::move(target)), space_(std::move(space)) {}

  const Space& space() const { return *space_; }

  // Never null.
  std::shared_ptr<const Loops> LoopsOf(const workload::Candidate& candidate);

 private:
  static constexpr size_t kMost = 128;  // kept; loops of one take about 100 kB

  const workload::Workload workload_;
  const target::Target target_;
  const std::unique_ptr<Space> space_;
  absl::flat_hash_map<std::string, std::shared_ptr<const Loops>> kept_;  // by the candidate's text
  std::deque<std::string> oldest_first_;
};

// The default schedule (candidate 0): the first seed that lowers, else plain loops in the fixed
// layouts. InvalidArgument where not even those lower: the layouts are to blame.
absl::StatusOr<workload::Candidate> DefaultCandidate(Evaluator& evaluator,
                                                     const SpaceOptions& options);

// The same in a space of its own.
absl::StatusOr<workload::Candidate> DefaultCandidate(const workload::Workload& workload,
                                                     const target::Target& target,
                                                     const SpaceOptions& options);

}  // namespace alt::search

#endif  // SERVER_SEARCH_EVALUATOR_H_
