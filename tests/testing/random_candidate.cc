#include "tests/testing/random_candidate.h"

#include <numeric>
#include <utility>

#include "common/base/check.h"
#include "common/layout/apply_layouts.h"
#include "common/schedule/apply.h"

namespace alt::testing {
namespace {

using layout::Layout;

Layout RandomLayout(layout::Shape shape, bool expanding, base::Random& random) {
  Layout result;
  const int steps = static_cast<int>(random.UniformInt(1, 3));
  for (int i = 0; i < steps; ++i) {
    const int rank = static_cast<int>(shape.size());
    const int dim = static_cast<int>(random.Uniform(rank));
    layout::Primitive p;
    switch (random.Uniform(expanding ? 5 : 3)) {
      case 0:
        p = layout::Split{dim, {random.UniformInt(1, std::max<int64_t>(1, shape[dim]))}};
        break;
      case 1: {
        layout::Reorder reorder;
        reorder.perm.resize(rank);
        std::iota(reorder.perm.begin(), reorder.perm.end(), 0);
        random.Shuffle(reorder.perm);
        p = reorder;
        break;
      }
      case 2:
        p = layout::Fuse{std::max(0, dim - 1), dim};
        if (dim == 0) continue;
        break;
      case 3: {
        const int64_t size = random.UniformInt(1, shape[dim]);
        p = layout::Unfold{dim, size, random.UniformInt(1, size)};
        break;
      }
      default:
        p = layout::Pad{dim, random.UniformInt(0, 2), random.UniformInt(0, 2)};
    }
    auto next = layout::ApplyToShape(p, shape);
    if (!next.ok() || next->size() > 8) continue;
    shape = *std::move(next);
    result.primitives.push_back(std::move(p));
  }
  return result;
}

std::string RandomLoop(const schedule::StageNest& stage, base::Random& random) {
  return random.Choice(stage.loops).name;
}

// Of all loops, or of some.
schedule::Instruction RandomReorder(const schedule::StageNest& stage, base::Random& random) {
  schedule::Reorder reorder{stage.stage.name, {}};
  for (const schedule::Loop& loop : stage.loops) reorder.axes.push_back(loop.name);
  random.Shuffle(reorder.axes);
  if (random.Bernoulli(0.4)) reorder.axes.resize(1 + random.Uniform(reorder.axes.size()));
  return reorder;
}

schedule::Instruction RandomSplit(const schedule::StageNest& stage, const std::string& axis,
                                  base::Random& random) {
  const int64_t extent = stage.loops[*stage.FindLoop(axis)].max_extent;
  schedule::Split split{stage.stage.name, axis, {random.UniformInt(1, extent)}};
  while (random.Bernoulli(0.25)) split.factors.push_back(random.UniformInt(1, 3));
  return split;
}

schedule::Instruction RandomPrefetch(const schedule::StageNest& stage, const std::string& axis,
                                     base::Random& random) {
  const std::vector<ir::Buffer> reads = te::ReadsOf(stage.stage);
  return schedule::Prefetch{stage.stage.name, axis,
                            reads.empty() ? "x" : random.Choice(reads)->name,
                            random.UniformInt(1, 4)};
}

schedule::Instruction RandomInstruction(const schedule::LoopNest& nest, base::Random& random) {
  const schedule::StageNest& stage = random.Choice(nest.stages());
  const std::string& name = stage.stage.name;
  const std::string axis = RandomLoop(stage, random);
  switch (random.Uniform(10)) {
    case 0:
    case 1:
      return RandomSplit(stage, axis, random);
    case 2:
      return RandomReorder(stage, random);
    case 3: {
      const size_t at = random.Uniform(stage.loops.size());
      const size_t next = std::min(at + 1, stage.loops.size() - 1);
      return schedule::Fuse{name, {stage.loops[at].name, stage.loops[next].name}};
    }
    case 4: {
      const schedule::StageNest& target = random.Choice(nest.stages());
      return schedule::ComputeAt{name, target.stage.name, RandomLoop(target, random)};
    }
    case 5:
      return schedule::Inline{name};
    case 6:
      return schedule::Vectorize{name, axis, random.Bernoulli(0.3) ? random.UniformInt(1, 9) : 0};
    case 7:
      return schedule::Unroll{name, axis};
    case 8:
      return RandomPrefetch(stage, axis, random);
    default:
      if (stage.loops.size() > 1 && random.Bernoulli(0.3)) {
        return schedule::Transpose{name, stage.loops.back().name, stage.loops.rbegin()[1].name};
      }
      return schedule::Parallel{name, axis};
  }
}

}  // namespace

std::map<std::string, Layout> RandomLayouts(const te::Graph& graph, base::Random& random) {
  std::map<std::string, Layout> layouts;
  for (const te::Tensor& tensor : graph.tensors) {
    if (random.Bernoulli(0.35)) continue;
    auto next = layouts;
    next[tensor.buffer->name] =
        RandomLayout(tensor.buffer->shape, tensor.role != te::Role::kInput, random);
    // What one tensor's layout asks of the others' accesses decides whether it is legal.
    if (layout::ApplyLayouts(graph, next).ok()) layouts = std::move(next);
  }
  return layouts;
}

schedule::Trace RandomTrace(const te::Graph& physical, int tries, base::Random& random,
                            schedule::Trace trace) {
  schedule::LoopNest nest(physical);
  for (const schedule::Instruction& instruction : trace.instructions) {
    ALT_CHECK(schedule::Apply(instruction, nest).ok());
  }
  for (int i = 0; i < tries; ++i) {
    schedule::Instruction instruction = RandomInstruction(nest, random);
    if (schedule::Apply(instruction, nest).ok())
      trace.instructions.push_back(std::move(instruction));
  }
  return trace;
}

}  // namespace alt::testing
