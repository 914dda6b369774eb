#ifndef SERVER_SEARCH_SPACE_SPACE_H_
#define SERVER_SEARCH_SPACE_SPACE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"
#include "server/search/space/knob.h"

namespace alt::search {

struct SpaceOptions {
  std::map<std::string, layout::Layout> fixed_layouts;  // by tensor; an empty layout means plain
};

// All ways to compute a workload that search considers: layout factors of the operator's template
// (docs/search.md#the-joint-template) and decisions about loops, in one vector. Immutable.
class Space {
 public:
  // InvalidArgument when a fixed layout does not apply.
  static absl::StatusOr<std::unique_ptr<Space>> Create(const workload::Workload& workload,
                                                       const target::Target& target,
                                                       SpaceOptions options);
  virtual ~Space() = default;

  const Knobs& knobs() const { return knobs_; }

  // The candidate of a point, not lowered yet. FailedPrecondition says why decisions exclude each
  // other.
  virtual absl::StatusOr<workload::Candidate> Build(const Point& point) const = 0;

  // Well-known layouts with a register tile that suits them, best guess first: they start every
  // search, and the first is the default schedule.
  virtual std::vector<Point> Seeds() const = 0;

 protected:
  // Without entries for plain layouts, as candidates are printed and parsed.
  static void DropPlainLayouts(workload::Candidate& candidate);

  Knobs knobs_;
};

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_SPACE_H_
