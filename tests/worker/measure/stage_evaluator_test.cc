#include "worker/measure/stage_evaluator.h"

#include "common/target/host.h"
#include "tests/testing/evaluate.h"
#include "tests/testing/paths.h"
#include "tests/worker/measure/local_measurer_testing.h"

namespace alt::worker {
namespace {

using alt::testing::CodegenScript;
using alt::testing::StatusIs;

// Evaluates on two threads of this machine.
class StageEvaluatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<codegen::Codegen>> codegen = options_.codegen(target_);
    ALT_ASSERT_OK(codegen);
    codegen_ = *std::move(codegen);
  }

  StageEvaluator Evaluator(absl::Duration limit = absl::Minutes(1)) {
    return StageEvaluator(target_, codegen_.get(), &options_.link, &runner_, limit);
  }

  const target::Target target_ = target::HostTarget(2);
  const LocalMeasurer::Options options_ =
      alt::testing::LocalMeasurerOptions("", std::make_shared<CodegenScript>(), 2);
  sandbox::Spawner spawner_;
  SandboxedRunner runner_{&spawner_, {options_.runner_path, 2}};
  std::unique_ptr<codegen::Codegen> codegen_;
};

Cells Ramp(const ir::BufferNode& tensor) {
  Cells cells(static_cast<size_t>(ir::NumElements(tensor)));
  for (size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i % 7) - 3;
  return cells;
}

TEST_F(StageEvaluatorTest, ComputesWhatTheNaiveEvaluationComputes) {
  for (const char* workload :
       {"matmul:m=23,n=37,k=19", "matmul:m=20,n=40,k=19,trans_a=1,trans_b=1", "matmul:m=1,n=1,k=1",
        "conv2d:n=1,ic=6,ih=13,iw=21,oc=10,kh=3,kw=3,stride=2,pad=1,groups=2"}) {
    const te::Graph graph = *workload::MakeGraph(*workload::Parse(workload));
    ir::Memory memory;
    std::vector<Cells> cells;
    for (const te::Tensor& tensor : graph.tensors) {
      if (graph.Producer(tensor.buffer) != nullptr) continue;
      cells.push_back(Ramp(*tensor.buffer));
      memory[tensor.buffer.get()].assign(cells.back().begin(), cells.back().end());
    }
    std::vector<const Cells*> inputs;
    for (const Cells& input : cells) inputs.push_back(&input);
    const absl::StatusOr<Cells> got = Evaluator()(graph, inputs);
    ALT_ASSERT_OK(got);
    ALT_ASSERT_OK(testing::Evaluate(graph, memory));
    const std::vector<double>& want = memory[graph.stages.back().output.get()];
    EXPECT_EQ(*got, Cells(want.begin(), want.end())) << workload;
  }
}

// A product of 3e10 FLOPs.
absl::Status EvaluateLong(const StageEvaluator& evaluate) {
  const te::Graph graph = *workload::MakeGraph({workload::Matmul{.m = 2048, .n = 2048, .k = 4096}});
  const Cells a(size_t{2048} * 4096, 1), b = a;
  return evaluate(graph, {&a, &b}).status();
}

TEST_F(StageEvaluatorTest, CancellingEndsItInTheMiddle) {
  int asked = 0;
  runner_.SetCancelled([&] { return ++asked > 3; });
  EXPECT_TRUE(StatusIs(EvaluateLong(Evaluator()), absl::StatusCode::kCancelled));
}

TEST_F(StageEvaluatorTest, PastTheLimitItIsGivenUp) {
  EXPECT_TRUE(StatusIs(EvaluateLong(Evaluator(absl::Milliseconds(20))),
                       absl::StatusCode::kUnavailable, "RUN_TIMEOUT: no end within 20ms"));
}

}  // namespace
}  // namespace alt::worker
