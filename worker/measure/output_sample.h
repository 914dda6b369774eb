// Which cells of a large output are computed by the reference and compared.
#ifndef WORKER_MEASURE_OUTPUT_SAMPLE_H_
#define WORKER_MEASURE_OUTPUT_SAMPLE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/te/stage.h"

namespace alt::worker {

// A lattice over the output: along each axis blocks of neighbours, the first at the beginning, the
// last at the end, the others evenly between them. So every border is met, and every tile that is
// larger along each axis than the gap between two blocks; distances are seldom multiples of a tile,
// so that its places are met in turn. The last axis has blocks of a vector's length, others single
// indices: many small blocks meet more than few large ones.
class OutputSample {
 public:
  // Thins out the axes of the stage that reduces, the ones with the most left first, until its sums
  // take `most_flops` (or each axis has its ends and the middle). All cells for other stages.
  OutputSample(const te::Stage& last, double most_flops);

  bool is_whole() const;
  int64_t cells() const;

  // The graph whose output is these cells alone, one after the other.
  te::Graph Restrict(const te::Graph& graph) const;

  // Puts what the restricted graph computed to its places in the whole output.
  void Scatter(absl::Span<const float> sampled, absl::Span<float> whole) const;

 private:
  struct Axis {
    int64_t extent;
    int64_t block;   // neighbours in one block
    int64_t blocks;  // as many as fill the extent: all of the axis
    bool whole() const { return blocks * block >= extent; }
    int64_t cells() const { return whole() ? extent : blocks * block; }
    // The index of the i-th cell.
    int64_t Place(int64_t i) const {
      return whole() ? i : i / block * (extent - block) / (blocks - 1) + i % block;
    }
    double share() const { return static_cast<double>(cells()) / static_cast<double>(extent); }
  };
  void ScatterAxis(size_t axis, const float*& sampled, float* whole) const;

  std::vector<Axis> axes_;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_OUTPUT_SAMPLE_H_
