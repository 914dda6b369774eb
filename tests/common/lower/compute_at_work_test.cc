// Stages that are computed inside loops of others, down to what runs: right values, and no more
// work than the halo asks for.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/ir/interpreter.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/ir/verify.h"
#include "common/lower/count_products.h"
#include "common/lower/create_loop_nest.h"
#include "common/lower/flatten_buffers.h"
#include "common/lower/partition_loops.h"
#include "common/lower/promote_accumulators.h"
#include "common/lower/unroll_loops.h"
#include "common/lower/vectorize_loops.h"
#include "common/schedule/apply.h"
#include "gtest/gtest.h"
#include "tests/common/schedule/graphs.h"
#include "tests/testing/evaluate.h"
#include "tests/testing/fuzz_cases.h"
#include "tests/testing/random_candidate.h"
#include "tests/testing/status_matchers.h"

namespace alt::lower {
namespace {

// The passes of lower.cc on a graph that is no workload.
absl::StatusOr<ir::Module> Loops(const te::Graph& graph, const schedule::Trace& trace) {
  ALT_ASSIGN_OR_RETURN(const schedule::LoopNest nest, schedule::ApplyTrace(graph, trace));
  ALT_ASSIGN_OR_RETURN(const ir::Stmt body, CreateLoopNest(nest));
  ir::Function f{"f", {}, PartitionLoops(ir::Simplify(body))};
  for (const te::Tensor& tensor : graph.tensors) {
    if (tensor.role != te::Role::kIntermediate) f.params.push_back(tensor.buffer);
  }
  return ir::Module{{f}};
}

ir::Module Finish(const ir::Module& loops) {
  ir::Function f = FlattenBuffers(loops.functions[0]);
  f.body = ir::Simplify(VectorizeLoops(f.body, 4));
  f.body = PromoteAccumulators(ir::Simplify(UnrollLoops(f.body)));
  return ir::Module{{f}};
}

// "" when a program computes what its graph says.
std::string Difference(const te::Graph& graph, const ir::Module& program) {
  if (const absl::Status status = ir::Verify(program); !status.ok()) return status.ToString();
  base::Random random(1);
  ir::Memory logical, physical;
  const ir::Function& f = program.functions[0];
  size_t at = 0;
  for (const te::Tensor& tensor : graph.tensors) {
    if (tensor.role == te::Role::kIntermediate) continue;
    std::vector<double> values(ir::NumElements(*tensor.buffer));
    for (double& value : values) value = static_cast<double>(random.UniformInt(-4, 4));
    physical[f.params[at++].get()] = values;
    if (tensor.role != te::Role::kOutput) logical[tensor.buffer.get()] = std::move(values);
  }
  if (const absl::Status status = testing::Evaluate(graph, logical); !status.ok()) {
    return status.ToString();
  }
  if (const absl::Status status = ir::Interpret(f, physical); !status.ok()) {
    return status.ToString();
  }
  const bool same =
      physical.at(f.params.back().get()) == logical.at(graph.stages.back().output.get());
  return same ? "" : "another result";
}

schedule::Trace ParseTrace(const std::string& text) {
  const auto trace = schedule::Parse(text);
  EXPECT_TRUE(trace.ok()) << trace.status();
  return *trace;
}

TEST(ComputeAtWorkTest, ABlockOfRowsComputesItsHaloAndNoMore) {
  const te::Graph graph = testing::SeparableBlock(3, 56);
  const std::string at = ", last.h.0) ";
  ALT_ASSERT_OK_AND_ASSIGN(
      const ir::Module loops,
      Loops(graph, ParseTrace(absl::StrCat("split(last.h, 4) reorder(last: h.0 o h.1 w) ",
                                           "compute_at(middle", at, "compute_at(pad", at,
                                           "compute_at(first", at))));
  // 14 blocks read 6 rows of the first stage each; the first and the last block one less.
  const int64_t rows_of_first = 14 * 6 - 2;
  const int64_t row = 56 * 3;  // cells
  EXPECT_EQ(CountProducts(loops), rows_of_first * row * 3 + 56 * row * 9 + 56 * row * 3)
      << ir::Print(loops);
  EXPECT_EQ(Difference(graph, Finish(loops)), "");
}

TEST(ComputeAtWorkTest, TilesComputeTheirHaloInBothDimensions) {
  const te::Graph graph = testing::SeparableBlock(2, 12);
  const std::string at = ", last.w.0) ";
  ALT_ASSERT_OK_AND_ASSIGN(
      const ir::Module loops,
      Loops(graph, ParseTrace(absl::StrCat(
                       "split(last.h, 5) split(last.w, 4) reorder(last: h.0 w.0 o h.1 w.1) ",
                       "compute_at(middle", at, "compute_at(pad", at, "compute_at(first", at))));
  const int64_t rows = 6 + 7 + 3, columns = 5 + 6 + 5;
  EXPECT_EQ(CountProducts(loops), rows * columns * 4 + 144 * 2 * 9 + 144 * 4) << ir::Print(loops);
  EXPECT_EQ(Difference(graph, Finish(loops)), "");
}

// Tiles of the last stage with the other stages inside most of the time, each at a loop of a stage
// that comes after it.
schedule::Trace RandomBlocks(const te::Graph& graph, base::Random& random) {
  schedule::LoopNest nest(graph);
  schedule::Trace trace;
  const auto add = [&](const schedule::Instruction& instruction) {
    if (schedule::Apply(instruction, nest).ok()) trace.instructions.push_back(instruction);
  };
  for (const char* axis : {"h", "w", "o"}) {
    if (random.Bernoulli(0.6)) add(schedule::Split{"last", axis, {random.UniformInt(1, 4)}});
  }
  schedule::Reorder reorder{"last", {}};
  for (const schedule::Loop& loop : nest.stages()[3].loops) reorder.axes.push_back(loop.name);
  random.Shuffle(reorder.axes);
  add(reorder);
  for (size_t i = 3; i-- > 0;) {
    const schedule::StageNest& target = nest.stages()[random.UniformInt(i + 1, 3)];
    if (random.Bernoulli(0.2) || target.inlined) continue;
    add(schedule::ComputeAt{nest.stages()[i].stage.name, target.stage.name,
                            random.Choice(target.loops).name});
  }
  return trace;
}

TEST(ComputeAtWorkTest, RandomBlocksComputeWhatTheGraphSays) {
  int attached = 0;
  const uint64_t end = testing::FuzzCases(400);
  for (uint64_t seed = 0; seed < end; ++seed) {
    base::Random random(seed);
    const te::Graph graph = testing::SeparableBlock(2, random.UniformInt(1, 7));
    const schedule::Trace blocks = RandomBlocks(graph, random);
    const schedule::Trace trace = testing::RandomTrace(graph, 25, random, blocks);
    const auto loops = Loops(graph, trace);
    ALT_ASSERT_OK(loops.status()) << "seed " << seed;
    ASSERT_EQ(Difference(graph, Finish(*loops)), "") << "seed " << seed << "\n"
                                                     << schedule::Print(trace) << ir::Print(*loops);
    for (const schedule::Instruction& instruction : trace.instructions) {
      attached += std::holds_alternative<schedule::ComputeAt>(instruction) ? 1 : 0;
    }
  }
  EXPECT_GT(attached, 400);
}

}  // namespace
}  // namespace alt::lower
