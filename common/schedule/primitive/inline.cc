// inline(s):  every read s[i] in other stages  -->  the body of s at i; the loops of s vanish.
// Precondition: no reduction, not the result, nothing was done to s yet, and the bodies of readers
// stay in bounds (ir/limits.h).

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/mutator.h"
#include "common/ir/simplify.h"
#include "common/schedule/apply.h"

namespace alt::schedule {
namespace {

class Inliner : public ir::Mutator {
 public:
  explicit Inliner(const te::Stage& stage) : stage_(stage) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    const ir::Expr mutated = ir::Mutator::MutateExpr(e);
    if (mutated->kind != ir::ExprKind::kLoad || mutated->buffer != stage_.output) return mutated;
    ir::VarMap values;
    for (size_t d = 0; d < stage_.spatial.size(); ++d) {
      values[stage_.spatial[d].var.get()] = mutated->args[d];
    }
    return ir::Substitute(stage_.body, values);
  }

 private:
  const te::Stage& stage_;
};

}  // namespace

absl::Status Apply(const Inline& instruction, LoopNest& nest) {
  ALT_ASSIGN_OR_RETURN(StageNest * stage, nest.FindStage(instruction.stage));
  if (!stage->stage.reduction.empty()) {
    return absl::FailedPreconditionError("a stage with a reduction does not inline");
  }
  if (stage->stage.output == nest.stages().back().stage.output) {
    return absl::FailedPreconditionError("the stage writes the result");
  }
  if (stage->touched || stage->attachment || stage->fixed_loops > 0) {
    return absl::FailedPreconditionError("inline must come before other instructions on the stage");
  }
  Inliner inliner(stage->stage);
  std::vector<ir::Expr> bodies;
  for (const StageNest& other : nest.stages()) {
    bodies.push_back(&other == stage ? other.stage.body : inliner.MutateExpr(other.stage.body));
    ALT_RETURN_IF_ERROR(base::Annotate(ir::CheckBody(bodies.back()), other.stage.name));
  }
  for (size_t i = 0; i < bodies.size(); ++i) nest.stages()[i].stage.body = std::move(bodies[i]);
  stage->inlined = true;
  return absl::OkStatus();
}

}  // namespace alt::schedule
