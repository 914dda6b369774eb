#ifndef COMMON_TE_STAGE_H_
#define COMMON_TE_STAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/ir/expr.h"
#include "common/ir/interval.h"
#include "common/te/reducer.h"

namespace alt::te {

// An iteration variable over [0, extent).
struct Axis {
  ir::Var var;
  int64_t extent = 1;
  const std::string& name() const { return var->name; }
};
// An axis with a variable of its own.
Axis MakeAxis(std::string name, int64_t extent);

// One tensor expression:  output[spatial...] = body                          without reduction axes
//                         output[spatial...] = reducer over reduction of body    with them
// The output has one dimension for each spatial axis, of the axis's extent. body reads tensors by
// ir::Load (buffers are tensors here, indices logical) and constant tables. Axis names are unique
// within a stage. Every cell of the output is written.
struct Stage {
  std::string name;
  ir::Buffer output;
  std::vector<Axis> spatial;
  std::vector<Axis> reduction;
  ir::Expr body;
  const Reducer* reducer = &kSum;  // of stages with reduction axes
};

// Ranges of all axes of a stage.
ir::RangeMap RangesOf(const Stage& stage);

enum class Role : uint8_t { kInput, kConstant, kIntermediate, kOutput };

// A tensor of a graph: external data (kInput), external data that is constant over many runs
// (kConstant), written by a stage (kIntermediate), or the result (kOutput).
struct Tensor {
  ir::Buffer buffer;
  Role role;
};

// Stages in topological order; the last one writes the only output. A stage whose inputs are all
// constants (a filter transform) runs ahead of time: its output's role is kConstant too.
struct Graph {
  std::vector<Tensor> tensors;  // external ones first, in the order of the C signature
  std::vector<Stage> stages;

  const Tensor* FindTensor(const std::string& name) const;  // null when absent
  const Tensor* FindTensor(const ir::Buffer& buffer) const;
  const Stage* FindStage(const std::string& name) const;
  const Stage* Producer(const ir::Buffer& tensor) const;  // null for external tensors
  std::vector<const Stage*> Consumers(const ir::Buffer& tensor) const;
};
// Tensors that body reads (no tables), in order of first occurrence, without repetition.
std::vector<ir::Buffer> ReadsOf(const Stage& stage);
// True when the stage depends on constants only and therefore runs ahead of time. Never the stage
// that writes the graph's output, nor one that reads nothing: padding that no tap sees through may
// simplify to zeros, and stays where it is.
bool RunsAhead(const Graph& graph, const Stage& stage);

}  // namespace alt::te

#endif  // COMMON_TE_STAGE_H_
