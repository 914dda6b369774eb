// What kernels of a workload are called with, and what they must compute.
#ifndef WORKER_MEASURE_OPERANDS_H_
#define WORKER_MEASURE_OPERANDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/lower/lower.h"
#include "common/te/stage.h"
#include "common/workload/workload.h"
#include "worker/measure/guarded_buffer.h"
#include "worker/measure/host_loop.h"

namespace alt::worker {

// A logical tensor, row-major.
using Cells = std::vector<float>;

// Evaluates a graph: cells of its external tensors, in order, to those of its output.
using Evaluator = std::function<absl::StatusOr<Cells>(const te::Graph& graph,
                                                      const std::vector<const Cells*>& inputs)>;

// Inputs of one workload: random small integers (reference_check.h), none of them zero, so that no
// dropped term goes unnoticed. Everything in a layout is kept until Trim. One thread at a time.
//
// What takes long runs on `loop`, and is Cancelled with it; then the next call begins it again.
class Operands {
 public:
  // `evaluate` is called for the reference and for constants that are computed ahead of time.
  // Errors are those of the workload and of `evaluate`.
  static absl::StatusOr<std::unique_ptr<Operands>> Create(const workload::Workload& workload,
                                                          uint64_t seed, HostLoop& loop);

  // Memory that holds an input or constant of a kernel of `algorithm` in its layout. `place` is the
  // parameter's number.
  absl::StatusOr<const GuardedBuffer*> Input(const lower::Parameter& parameter,
                                             const workload::Algorithm& algorithm, int place,
                                             const Evaluator& evaluate, HostLoop& loop);

  struct Output {
    GuardedBuffer* buffer;
    const Cells* want;  // in the output's layout; AnyNumber (reference_check.h) where not computed
  };
  // The reference comes with the first of them.
  absl::StatusOr<Output> OutputOf(const lower::Parameter& parameter, int place,
                                  const Evaluator& evaluate, HostLoop& loop);

  // Drops what is in a layout once it takes more than this.
  void Trim(int64_t bytes);
  // What is kept.
  int64_t bytes() const { return logical_bytes_ + packed_bytes_; }

 private:
  Operands(te::Graph graph, workload::Workload workload)
      : graph_(std::move(graph)), workload_(std::move(workload)) {}

  // Logical cells of an external tensor, or of a constant that `algorithm` computes ahead of time.
  absl::StatusOr<const Cells*> CellsOf(const std::string& tensor,
                                       const workload::Algorithm& algorithm,
                                       const Evaluator& evaluate);
  absl::StatusOr<const Cells*> Reference(const Evaluator& evaluate, HostLoop& loop);
  absl::StatusOr<Cells> Evaluate(const te::Graph& graph, const Evaluator& evaluate);
  const Cells* Keep(const std::string& key, Cells cells);

  const te::Graph graph_;  // of the algorithm `direct`
  const workload::Workload workload_;
  std::map<std::string, Cells> logical_;  // external tensors by name, constants by algorithm/name
  int64_t logical_bytes_ = 0;
  // By tensor, algorithm where it matters, layout and place.
  std::map<std::string, std::unique_ptr<GuardedBuffer>> inputs_;
  std::map<std::string, std::unique_ptr<GuardedBuffer>> outputs_;
  std::map<std::string, Cells> wanted_;  // by layout of the output
  int64_t packed_bytes_ = 0;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_OPERANDS_H_
