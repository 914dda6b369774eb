// What the rules of the space read and write while they build a point.

#ifndef SERVER_SEARCH_SPACE_DRAFT_H_
#define SERVER_SEARCH_SPACE_DRAFT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/layout/layout.h"
#include "common/schedule/trace.h"
#include "common/target/target.h"
#include "common/te/stage.h"
#include "server/search/space/decision.h"
#include "server/search/space/role.h"

namespace alt::search {

// An axis of a tensor in its layout, or a loop over it.
struct NamedAxis {
  std::string name;  // "" for none
  int64_t extent = 1;
  bool exists() const { return !name.empty(); }
};

// What the lanes of a vector run over.
//   kChannel   the channel: contiguous in filter and output, one value of the data for all lanes
//   kPosition  the last position: contiguous in data and output, one value of the filter
//   kGroup     groups of few channels: contiguous in all three, once channels stand group by group
enum class Lanes : int64_t { kChannel = 0, kPosition = 1, kGroup = 2 };

// The axes of a stage's output in its layout, by the part they play in the loops around a register
// tile of row x column x unrolled x vector.
struct TileAxes {
  std::vector<NamedAxis> batch;     // outermost, one after the other
  NamedAxis row;                    // tiled and blocked
  NamedAxis column;                 // tiled
  std::vector<NamedAxis> unrolled;  // small, whole in the tile
  NamedAxis vector;                 // innermost in memory
};

// Where the stage that makes a nest's data is computed: on its own, ahead of all; inside the
// outermost loop over blocks of rows; or where it is read.
enum class ProducerPlace : int64_t { kAtRoot = 0, kAtBlock = 1, kInlined = 2 };

// Loops that a nest is planned to have; written as instructions when all is decided. Sizes of 0 or
// 1 say that there is no such loop.
struct LoopPlan {
  int64_t vector_tile = 1, row_tile = 1, column_tile = 1;
  bool complete = false;  // each vector of the tile is finished before the next: no sums are kept
  int64_t row_block = 1;
  int64_t depth_block = 0, depth_unroll = 1, window_unroll = 0;
  int64_t order = 0;
  int64_t prefetch = 0;
  ProducerPlace place = ProducerPlace::kAtRoot;
};

// A contraction or other reduction with what is computed together with it: the stages behind it
// up to `owner`, whose loops the nest owns, and the stage that makes its data.
struct Nest {
  Nest() = default;
  Nest(Nest&&) = default;  // pointers below are into `roles`, which a copy would leave behind
  Nest& operator=(Nest&&) = default;

  const te::Stage* core = nullptr;
  const te::Stage* owner = nullptr;       // the core, or the last stage of its tail
  std::vector<const te::Stage*> inlined;  // tail stages between core and owner
  const te::Stage* producer = nullptr;    // of the data, for this nest alone; or null
  StageRoles roles;                       // of the core
  StageRoles producer_roles;

  // The core's axes, by their meaning for layouts.
  const AxisRole* channel = nullptr;       // null where there is none but positions
  std::vector<const AxisRole*> batch;      // images, groups, batched matrices
  std::vector<const AxisRole*> positions;  // rows; the last is innermost in plain layouts
  const AxisRole* depth = nullptr;         // the long reduction axis; null: taps alone
  std::vector<const AxisRole*> windows;    // the other reduction axes

  // Layout decisions.
  Lanes lanes = Lanes::kChannel;
  int64_t lane_groups = 0;               // kGroup: groups in a vector
  int64_t channel_block = 0;             // 0: whole
  int64_t input_block = 0;               // of the data's channels; 0: whole
  std::map<std::string, int64_t> tiles;  // positions -> tile; empty: not tiled
  bool depth_outside = false;            // taps within the depth, not around it

  TileAxes axes;  // of the owner
  LoopPlan plan;

  bool tiled() const { return !tiles.empty(); }
  bool has_tail() const { return owner != core; }
  // Channels that read the same data; 0: all, or each its own.
  int64_t unit() const;
};

// The innermost axis of a tensor in a layout, and the logical dimension that it is of; -1: of
// several, or the layout does not fit.
struct Innermost {
  int dim = -1;
  int64_t extent = 1;
};
Innermost InnermostOf(const layout::Layout& layout, const layout::Shape& shape);

// The dimension of a stage's output that an axis runs along. Checks that it is there.
int DimOf(const te::Stage& stage, const std::string& axis);

class Draft {
 public:
  Draft(const te::Graph& graph, const target::Target& target,
        const std::map<std::string, layout::Layout>& fixed, Decider& decide)
      : graph(graph), target(target), fixed(fixed), decide(decide) {}

  const te::Graph& graph;  // logical
  const target::Target& target;
  const std::map<std::string, layout::Layout>& fixed;
  Decider& decide;
  std::map<std::string, layout::Layout> layouts;  // decided so far, by tensor
  schedule::Trace trace;

  int lanes() const { return target::VecLanes(target); }
  bool IsFixed(const ir::Buffer& tensor) const { return fixed.contains(tensor->name); }
  // A fixed tensor keeps its layout.
  void SetLayout(const ir::Buffer& tensor, layout::Layout layout);
  layout::Layout LayoutOf(const ir::Buffer& tensor) const;
  // The axes of a stage's output in its layout, outermost first.
  std::vector<NamedAxis> AxesOf(const te::Stage& stage) const;
  Innermost InnermostOf(const ir::Buffer& tensor) const {
    return search::InnermostOf(LayoutOf(tensor), tensor->shape);
  }
  void Add(schedule::Instruction instruction) {
    trace.instructions.push_back(std::move(instruction));
  }
};

// Whether a physical axis is the logical axis or a digit of it.
bool IsPartOf(const NamedAxis& axis, const std::string& logical);

// The innermost axis of a dimension, taken out; none if there is no such axis.
NamedAxis TakeInnermost(const std::string& logical, std::vector<NamedAxis>& axes);

// Puts the dimensions of a tensor into another order, some of them in parts.
//
//   LayoutWriter w(4); w.Split(1, {16}); w.Ordered({{0}, {1, 0}, {2}, {3}, {1, 1}})
//     -->  split(1,16) reorder(0,1,3,4,2)
class LayoutWriter {
 public:
  struct Part {
    int dim = 0;    // logical
    int level = 0;  // 0 is the outermost part
    friend bool operator==(const Part&, const Part&) = default;
  };

  explicit LayoutWriter(int rank);
  // Each logical dimension is taken apart at most once.
  void Split(int dim, std::vector<int64_t> factors);
  void Unfold(int dim, int64_t size, int64_t stride);
  // Parts of all dimensions, each once.
  layout::Layout Ordered(const std::vector<Part>& parts);

 private:
  int PositionOf(int dim) const;
  void Replace(int position, int dim, int levels);

  layout::Layout layout_;
  std::vector<Part> parts_;
};

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_DRAFT_H_
