#ifndef SERVER_SEARCH_POLICY_H_
#define SERVER_SEARCH_POLICY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/workload/candidate.h"
#include "server/search/evaluator.h"

namespace alt::search {

// Chooses what to measure next. Deterministic in its seed and what it was told. No I/O, no clock.
class Policy {
 public:
  virtual ~Policy() = default;

  // A point to try; lowering may refuse it, or it may be known already: then the caller asks again.
  virtual Point Propose() = 0;
  // The median latency of a point that was measured, absent when it failed. Also called for answers
  // of the database whose candidate is a point of the space.
  virtual void Learn(const Point& point, std::optional<double> latency_ns) = 0;
};

// Names: "evolve", "random". InvalidArgument for others, listing them. A policy may look at the
// loops of what it thinks of proposing; the evaluator must outlive it.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(const std::string& name, Evaluator& evaluator,
                                                   uint64_t seed);

}  // namespace alt::search

#endif  // SERVER_SEARCH_POLICY_H_
