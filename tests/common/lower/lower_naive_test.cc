#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/ir/interpreter.h"
#include "common/ir/visitor.h"
#include "common/lower/lower.h"
#include "gtest/gtest.h"
#include "tests/testing/evaluate.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/workloads.h"

namespace alt::lower {
namespace {

target::Target TargetOf(int vec_bits, int threads) {
  return {
      .mcpu = vec_bits == 512 ? "x86-64-v4" : "x86-64", .vec_bits = vec_bits, .threads = threads};
}

te::Graph GraphOf(const std::string& workload) {
  return *workload::MakeGraph(*workload::Parse(workload));
}

// "" when the lowered graph computes what the naive evaluation computes, bit for bit.
std::string Check(const te::Graph& graph, const target::Target& target, base::Random& random) {
  ir::Memory want;
  for (const te::Tensor& tensor : graph.tensors) {
    if (graph.Producer(tensor.buffer) != nullptr) continue;
    std::vector<double>& cells = want[tensor.buffer.get()];
    cells.resize(static_cast<size_t>(ir::NumElements(*tensor.buffer)));
    for (double& cell : cells) cell = static_cast<double>(random.UniformInt(-4, 4));
  }
  const absl::StatusOr<ir::Module> module = LowerNaive(graph, target, "reference");
  if (!module.ok()) return module.status().ToString();
  const ir::Function& function = module->functions[0];
  ir::Memory memory;
  size_t next = 0;
  for (const te::Tensor& tensor : graph.tensors) {
    if (graph.Producer(tensor.buffer) != nullptr) continue;
    memory[function.params[next++].get()] = want[tensor.buffer.get()];
  }
  const ir::Buffer& output = graph.stages.back().output;
  memory[function.params.back().get()].assign(static_cast<size_t>(ir::NumElements(*output)), 12345);
  if (absl::Status status = testing::Evaluate(graph, want); !status.ok()) return status.ToString();
  if (absl::Status status = ir::Interpret(function, memory); !status.ok()) return status.ToString();
  return memory[function.params.back().get()] == want[output.get()] ? "" : "another result";
}

TEST(LowerNaiveTest, AnyWorkloadComputesWhatTheNaiveEvaluationComputes) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::Random random(seed);
    const workload::Workload workload = testing::RandomWorkload(random);
    const target::Target target =
        TargetOf(random.Bernoulli(.5) ? 128 : 512, random.Bernoulli(.5) ? 1 : 2);
    EXPECT_EQ(Check(*workload::MakeGraph(workload), target, random), "")
        << "seed " << seed << ": " << workload::Print(workload);
  }
}

TEST(LowerNaiveTest, ShapesThatNoTileFits) {
  base::Random random(1);
  for (const char* workload :
       {"matmul:m=1,n=1,k=7", "matmul:m=9,n=17,k=3", "matmul:m=9,n=17,k=3,trans_b=1",
        "matmul:m=3,n=1,k=5,batch=2", "conv2d:n=1,ic=3,ih=9,iw=19,oc=11,kh=3,kw=2,stride=2,pad=1",
        "conv2d:n=1,ic=4,ih=1,iw=1,oc=33,kh=1,kw=1",
        "conv2d:n=2,ic=6,ih=5,iw=7,oc=6,kh=3,kw=3,groups=6"}) {
    for (const int vec_bits : {128, 512}) {
      EXPECT_EQ(Check(GraphOf(workload), TargetOf(vec_bits, 2), random), "") << workload;
    }
  }
}

struct Counts {
  int parallel_loops = 0;
  int narrow_sums = 0;  // products that are added up one at a time
  int wide_sums = 0;
};

Counts CountsOf(const std::string& workload, const target::Target& target) {
  const absl::StatusOr<ir::Module> module = LowerNaive(GraphOf(workload), target, "reference");
  EXPECT_TRUE(module.ok()) << module.status();
  Counts counts;
  ir::VisitStmt(module->functions[0].body, [&](const ir::Stmt& s) {
    if (s->kind == ir::StmtKind::kFor)
      counts.parallel_loops += s->for_kind == ir::ForKind::kParallel;
    if (s->kind == ir::StmtKind::kStore && s->value()->kind == ir::ExprKind::kAdd) {
      ++(s->value()->dtype.lanes == 8 ? counts.wide_sums : counts.narrow_sums);
    }
    return true;
  });
  return counts;
}

TEST(LowerNaiveTest, SumsAreATileOfVectorsInRegisters) {
  for (const char* workload : {"matmul:m=64,n=64,k=64", "matmul:m=64,n=64,k=64,trans_b=1",
                               "matmul:m=64,n=64,k=64,trans_a=1",
                               "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=2,pad=1",
                               "conv2d:n=1,ic=64,ih=1,iw=1,oc=64,kh=1,kw=1",
                               "conv2d:n=1,ic=128,ih=56,iw=56,oc=128,kh=3,kw=3,pad=1,groups=128"}) {
    const Counts counts = CountsOf(workload, TargetOf(512, 1));
    EXPECT_EQ(counts.narrow_sums, 0) << workload;
    EXPECT_GE(counts.wide_sums, 2) << workload;
    EXPECT_EQ(counts.parallel_loops, 0) << workload;
  }
  EXPECT_EQ(CountsOf("matmul:m=64,n=64,k=64", TargetOf(512, 1)).wide_sums, 16);
}

TEST(LowerNaiveTest, ThreadsShareTheTiles) {
  EXPECT_EQ(CountsOf("matmul:m=64,n=64,k=64", TargetOf(512, 2)).parallel_loops, 1);
  EXPECT_EQ(
      CountsOf("conv2d:n=1,ic=8,ih=8,iw=8,oc=8,kh=3,kw=3,pad=1", TargetOf(512, 2)).parallel_loops,
      2);
}

}  // namespace
}  // namespace alt::lower
