#ifndef COMMON_SCHEDULE_LOOP_NEST_H_
#define COMMON_SCHEDULE_LOOP_NEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/stmt.h"
#include "common/ir/substitute.h"
#include "common/te/stage.h"

namespace alt::schedule {

// One loop of a stage, over [0, extent).
struct Loop {
  std::string name;
  ir::Var var;
  int64_t max_extent = 1;  // the most iterations it ever has
  ir::Expr extent;         // the iterations; may name other loops (remainders, regions)
  bool reduction = false;
  ir::ForKind kind = ir::ForKind::kSerial;
  int lanes = 0;  // kVectorized: most lanes of a vector, 0 for the target's

  struct PrefetchHint {
    std::string tensor;
    int64_t distance;
  };
  std::vector<PrefetchHint> prefetches;
};

// What part of a stage's output is computed inside a loop of another stage: dimension d covers
// [min[d], min[d] + count[d]), which lies within the tensor. Expressions name loops around the
// attach point; a count below 1 is an empty region.
struct Region {
  std::vector<ir::Expr> min;
  std::vector<ir::Expr> count;
  std::vector<int64_t> max_count;
};

struct Attachment {
  std::string stage, axis;  // the loop inside which the stage is computed, before the loop's body
  Region region;
};

// A stage with the loops that compute it.
struct StageNest {
  te::Stage stage;
  std::vector<Loop> loops;  // outermost first
  ir::VarMap axis_values;   // axis of the stage -> expression in loops (and region minima)
  std::optional<Attachment> attachment;
  bool inlined = false;
  bool touched = false;  // an instruction other than compute_at or inline acted on it
  // Loops [0, fixed_loops) hold attached stages in or below them and keep their place.
  size_t fixed_loops = 0;

  // Index of a loop by name; nullopt when absent.
  std::optional<size_t> FindLoop(absl::string_view name) const;
};

// The state that a trace acts on: all stages of a graph whose layouts are fixed, those that run
// ahead of time left out. Stage order is topological.
class LoopNest {
 public:
  explicit LoopNest(const te::Graph& graph);

  const te::Graph& graph() const { return graph_; }
  const std::vector<StageNest>& stages() const { return stages_; }
  std::vector<StageNest>& stages() { return stages_; }

  // InvalidArgument naming the known stages / loops.
  absl::StatusOr<StageNest*> FindStage(absl::string_view stage);
  absl::StatusOr<size_t> FindLoop(const StageNest& stage, absl::string_view axis) const;

  // Ranges of all loop variables of all stages, by their most iterations.
  ir::RangeMap LoopRanges() const;

 private:
  te::Graph graph_;
  std::vector<StageNest> stages_;
};

// FailedPrecondition when the loop has a kind already.
absl::Status CheckSerial(const Loop& loop);

// What the kinds of a stage's loops are to each other, in whatever order instructions gave them:
// at most one is parallel and at most one vectorized; no reduction, vectorized or unrolled loop is
// around the parallel one; transposed loops are the innermost, and none is vectorized beside them.
// FailedPrecondition says which loops are in each other's way.
absl::Status CheckKinds(absl::Span<const Loop> loops);

// Replaces variables of loops in everything of the stage that names them: axis values and extents.
// `ranges` are of all variables in `values`. FailedPrecondition when one gets too long
// (ir/limits.h); the stage is then unchanged.
absl::Status SubstituteLoopVars(StageNest& stage, const ir::VarMap& values,
                                const ir::RangeMap& ranges);

}  // namespace alt::schedule

#endif  // COMMON_SCHEDULE_LOOP_NEST_H_
