#include "worker/measure/output_sample.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/workload/workload.h"
#include "tests/testing/evaluate.h"
#include "tests/testing/status_matchers.h"

namespace alt::worker {
namespace {

te::Graph GraphOf(const std::string& workload) {
  return *workload::MakeGraph(*workload::Parse(workload));
}

// The output of a graph on random integers, the same for graphs of equal inputs.
std::vector<float> Evaluate(const te::Graph& graph) {
  base::Random random(1);
  ir::Memory memory;
  for (const te::Tensor& tensor : graph.tensors) {
    if (graph.Producer(tensor.buffer) != nullptr) continue;
    std::vector<double>& cells = memory[tensor.buffer.get()];
    cells.resize(static_cast<size_t>(ir::NumElements(*tensor.buffer)));
    for (double& cell : cells) cell = static_cast<double>(random.UniformInt(-4, 4));
  }
  ALT_CHECK_OK(testing::Evaluate(graph, memory));
  const std::vector<double>& cells = memory[graph.stages.back().output.get()];
  return {cells.begin(), cells.end()};
}

struct Sampled {
  std::vector<float> cells;  // NaN where not computed
  std::vector<int64_t> shape;
};

Sampled Sample(const te::Graph& graph, double most_flops) {
  const OutputSample sample(graph.stages.back(), most_flops);
  const std::vector<float> computed = Evaluate(sample.Restrict(graph));
  Sampled sampled{{}, graph.stages.back().output->shape};
  sampled.cells.assign(static_cast<size_t>(ir::NumElements(*graph.stages.back().output)),
                       std::nanf(""));
  sample.Scatter(computed, absl::MakeSpan(sampled.cells));
  return sampled;
}

TEST(OutputSampleTest, ASmallOutputIsComputedWhole) {
  const te::Graph graph = GraphOf("matmul:m=40,n=30,k=8");
  EXPECT_TRUE(OutputSample(graph.stages.back(), 2 * 40 * 30 * 8).is_whole());
  EXPECT_FALSE(OutputSample(graph.stages.back(), 2 * 40 * 30 * 8 - 1).is_whole());
}

TEST(OutputSampleTest, WhatIsComputedStandsWhereItBelongs) {
  for (const char* workload : {"matmul:m=100,n=70,k=3", "matmul:m=37,n=200,k=2,batch=5,trans_b=1",
                               "conv2d:n=1,ic=2,ih=20,iw=33,oc=24,kh=3,kw=3,stride=1,pad=1"}) {
    const te::Graph graph = GraphOf(workload);
    const std::vector<float> whole = Evaluate(graph);
    const OutputSample sample(graph.stages.back(),
                              workload::Flops(*workload::Parse(workload)) / 20);
    const Sampled sampled = Sample(graph, workload::Flops(*workload::Parse(workload)) / 20);
    int64_t computed = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      if (std::isnan(sampled.cells[i])) continue;
      ++computed;
      ASSERT_EQ(sampled.cells[i], whole[i]) << workload << " cell " << i;
    }
    EXPECT_EQ(computed, sample.cells()) << workload;
    EXPECT_LE(computed * 20, static_cast<int64_t>(whole.size())) << workload;
    EXPECT_GE(computed * 60, static_cast<int64_t>(whole.size())) << workload;
  }
}

// Whether a tile of `tile` cells along each axis, one after the other, holds a computed cell.
bool EveryTileIsMet(const Sampled& sampled, int64_t tile) {
  const int64_t rows = sampled.shape[0], columns = sampled.shape[1];
  for (int64_t m = 0; m < rows; m += tile) {
    for (int64_t n = 0; n < columns; n += tile) {
      bool met = false;
      for (int64_t i = m; i < std::min(m + tile, rows); ++i) {
        for (int64_t j = n; j < std::min(n + tile, columns); ++j) {
          met = met || !std::isnan(sampled.cells[static_cast<size_t>(i * columns + j)]);
        }
      }
      if (!met) return false;
    }
  }
  return true;
}

TEST(OutputSampleTest, MeetsEveryBorderAndEveryTile) {
  const te::Graph graph = GraphOf("matmul:m=401,n=403,k=1");
  const Sampled sampled = Sample(graph, 2 * 401 * 403 / 16);
  for (const int64_t row : {0, 400}) {
    for (const int64_t column : {0, 402}) {
      EXPECT_FALSE(std::isnan(sampled.cells[static_cast<size_t>(row * 403 + column)]));
    }
  }
  EXPECT_TRUE(EveryTileIsMet(sampled, 64));
  EXPECT_FALSE(EveryTileIsMet(sampled, 2));  // or it would be the whole output
  // Every place in tiles of 8 x 16, as registers have, is met by one of them.
  std::vector<bool> met(8 * 16);
  for (int64_t i = 0; i < 401; ++i) {
    for (int64_t j = 0; j < 403; ++j) {
      if (std::isnan(sampled.cells[static_cast<size_t>(i * 403 + j)])) continue;
      met[static_cast<size_t>(i % 8 * 16 + j % 16)] = true;
    }
  }
  EXPECT_EQ(std::count(met.begin(), met.end(), false), 0);
}

TEST(OutputSampleTest, EndsAndMiddleStayHoweverMuchASumTakes) {
  const te::Graph graph = GraphOf("matmul:m=64,n=256,k=1000");
  const OutputSample sample(graph.stages.back(), 1);
  EXPECT_EQ(sample.cells(), 4 * 64);  // halved while three would be left
}

}  // namespace
}  // namespace alt::worker
