// The rule for the loops of a contraction: multi-level tiling around a register tile.
//
//   outer loops (batch axes, blocks of rows, tiles) in a chosen order
//     reduction loops, in blocks
//       register tile: rows x vectors, unrolled and vectorized
//
// It knows no operator: a template says which axes of the stage play which part.

#ifndef SERVER_SEARCH_SPACE_MAIN_LOOPS_H_
#define SERVER_SEARCH_SPACE_MAIN_LOOPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout.h"
#include "common/schedule/trace.h"
#include "common/target/target.h"
#include "server/search/space/knob.h"

namespace alt::search {

struct NamedAxis {
  std::string name;
  int64_t extent = 1;
};

// An axis of the producer's output.
struct ProducerAxis {
  std::string name;
  int64_t extent = 1;  // of the whole output
  int64_t least = 1;   // of what one vector of the main stage reads: compute_at leaves no less
};

// Axes of the main stage by their part.
struct Parts {
  std::string stage;
  std::vector<NamedAxis> batch;     // outermost, one after another
  NamedAxis row;                    // tiled and blocked: h, m
  NamedAxis column;                 // tiled inside row: w; extent 1 where there is none
  std::vector<NamedAxis> unrolled;  // small, whole in the register tile
  NamedAxis vector;                 // innermost in memory
  int64_t vector_unit = 0;          // vectors may not cross multiples of it; 0: they may
  std::vector<NamedAxis> windows;   // short reduction axes: kh, kw
  NamedAxis depth;                  // the long reduction axis: ic, k
  int64_t depth_split = 0;  // block of the operand's layout that the loop must follow; 0: none
  std::string producer;     // stage that feeds it ("" for none): pad
  std::string streamed;     // tensor worth prefetching: w, b
};

// The axes of a tensor in its layout, outermost first; `names` are of its logical dimensions. The
// layout fits the shape, and the names do not grow too long.
std::vector<NamedAxis> PhysicalAxes(const layout::Layout& layout, const std::vector<int64_t>& shape,
                                    const std::vector<std::string>& names);

// Where the producer is computed.
enum ProducerPlace : int64_t { kAtRoot = 0, kAtBlock = 1, kInlined = 2 };

// Adds the loop knobs.
void AddLoopKnobs(const Parts& parts, const target::Target& target, Knobs& knobs);

// The trace of a point. FailedPrecondition where its tiles need more registers than the target has,
// or decisions exclude each other. producer_axes: innermost last.
absl::StatusOr<schedule::Trace> BuildLoops(const Parts& parts, const Knobs& knobs,
                                           const Point& point, const target::Target& target,
                                           const std::vector<ProducerAxis>& producer_axes);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_MAIN_LOOPS_H_
