// Computes graphs by their definition, on all cores.
#ifndef WORKER_MEASURE_STAGE_EVALUATOR_H_
#define WORKER_MEASURE_STAGE_EVALUATOR_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/codegen/codegen.h"
#include "common/codegen/link.h"
#include "common/target/target.h"
#include "worker/measure/operands.h"
#include "worker/measure/sandboxed_runner.h"

namespace alt::worker {

// Each stage is compiled (lower::LowerNaive) and called in the sandbox, with the results of those
// before it as inputs: a tensor between two stages is memory of its own, not a workspace that every
// thread would have.
class StageEvaluator {
 public:
  // All are borrowed. `target`: whose threads compute; `runner` has as many.
  StageEvaluator(target::Target target, codegen::Codegen* codegen, const codegen::LinkOptions* link,
                 SandboxedRunner* runner, absl::Duration limit)
      : target_(std::move(target)),
        codegen_(codegen),
        link_(link),
        runner_(runner),
        limit_(limit) {}

  // An Evaluator. A failure is no candidate's: Cancelled as the runner is, Unavailable (with the
  // limit, where that was passed), ResourceExhausted without memory.
  absl::StatusOr<Cells> operator()(const te::Graph& graph,
                                   const std::vector<const Cells*>& inputs) const;

 private:
  absl::StatusOr<Cells> Evaluate(const te::Stage& stage,
                                 const std::vector<const Cells*>& inputs) const;

  const target::Target target_;
  codegen::Codegen* const codegen_;
  const codegen::LinkOptions* const link_;
  SandboxedRunner* const runner_;
  const absl::Duration limit_;
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_STAGE_EVALUATOR_H_
