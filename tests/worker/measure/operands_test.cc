#include "worker/measure/operands.h"

#include <cmath>
#include <functional>
#include <map>

#include "tests/testing/evaluate.h"

namespace alt::worker {
namespace {

using alt::testing::StatusIs;

const workload::Workload kConv = {workload::Conv2d{
    .ic = 4, .ih = 8, .iw = 8, .oc = 6, .kh = 3, .kw = 3, .pad_begin = {1, 1}, .pad_end = {1, 1}}};

// testing::Evaluate in place of compiled code; counts its calls.
class Interpreter {
 public:
  Evaluator evaluator() {
    return [this](const te::Graph& graph, const std::vector<const Cells*>& inputs) {
      return Evaluate(graph, inputs);
    };
  }
  int calls() const { return calls_; }

 private:
  absl::StatusOr<Cells> Evaluate(const te::Graph& graph, const std::vector<const Cells*>& inputs) {
    ++calls_;
    ir::Memory memory;
    size_t next = 0;
    for (const te::Tensor& tensor : graph.tensors) {
      if (graph.Producer(tensor.buffer) != nullptr) continue;
      memory[tensor.buffer.get()].assign(inputs.at(next)->begin(), inputs.at(next)->end());
      ++next;
    }
    ALT_RETURN_IF_ERROR(testing::Evaluate(graph, memory));
    const std::vector<double>& cells = memory[graph.stages.back().output.get()];
    return Cells(cells.begin(), cells.end());
  }
  int calls_ = 0;
};

// Operands of kConv, and the parameters of a kernel for it under an algorithm and layouts.
class OperandsTest : public ::testing::Test {
 protected:
  void SetUp() override { operands_ = Create(1); }

  std::unique_ptr<Operands> Create(uint64_t seed) {
    absl::StatusOr<std::unique_ptr<Operands>> operands = Operands::Create(kConv, seed, loop_);
    EXPECT_TRUE(operands.ok());
    return *std::move(operands);
  }

  // The parameter called `name` of the kernel of a candidate.
  static lower::Parameter ParameterOf(const std::string& candidate, const std::string& name) {
    absl::StatusOr<workload::Candidate> parsed = workload::ParseCandidate(candidate);
    EXPECT_TRUE(parsed.ok());
    absl::StatusOr<lower::Kernel> kernel = lower::Lower(kConv, *parsed, {.mcpu = "x86-64"});
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    for (const lower::Parameter& parameter : kernel->params) {
      if (parameter.tensor.buffer->name == name) return parameter;
    }
    ADD_FAILURE() << "no parameter " << name;
    return kernel->params.front();
  }

  const GuardedBuffer* Input(const lower::Parameter& parameter,
                             const workload::Algorithm& algorithm = {}, int place = 0) {
    absl::StatusOr<const GuardedBuffer*> input =
        operands_->Input(parameter, algorithm, place, interpreter_.evaluator(), loop_);
    EXPECT_TRUE(input.ok()) << input.status();
    return *input;
  }

  absl::StatusOr<Operands::Output> OutputOf(const lower::Parameter& parameter) {
    return operands_->OutputOf(parameter, 2, interpreter_.evaluator(), loop_);
  }

  bool cancelled_ = false;
  const std::function<bool()> is_cancelled_ = [this] { return cancelled_; };
  HostLoop loop_{2, is_cancelled_};
  Interpreter interpreter_;
  std::unique_ptr<Operands> operands_;
};

TEST_F(OperandsTest, InputsAreSmallIntegersWithoutZero) {
  const GuardedBuffer* x = Input(ParameterOf("", "x"));
  EXPECT_EQ(x->cells().size(), 4U * 8 * 8);
  bool negative = false;
  for (float cell : x->cells()) {
    EXPECT_EQ(cell, std::round(cell));
    EXPECT_GE(std::abs(cell), 1);
    EXPECT_LE(std::abs(cell), 8);
    negative = negative || cell < 0;
  }
  EXPECT_TRUE(negative);
}

TEST_F(OperandsTest, TheSeedDecides) {
  const absl::Span<const float> cells = Input(ParameterOf("", "x"))->cells();
  const std::vector<float> first(cells.begin(), cells.end());
  operands_ = Create(1);
  EXPECT_EQ(Input(ParameterOf("", "x"))->cells(), absl::MakeConstSpan(first));
  operands_ = Create(2);
  EXPECT_NE(Input(ParameterOf("", "x"))->cells(), absl::MakeConstSpan(first));
}

TEST_F(OperandsTest, EachLayoutIsPackedOnce) {
  const lower::Parameter plain = ParameterOf("", "x");
  const lower::Parameter last = ParameterOf("layout x: reorder(0,2,3,1)", "x");
  EXPECT_EQ(Input(plain), Input(plain));
  const GuardedBuffer* packed = Input(last);
  EXPECT_NE(packed, Input(plain));
  // Channel c of pixel p.
  for (int c = 0; c < 4; ++c) {
    for (int p = 0; p < 64; ++p) {
      ASSERT_EQ(packed->cells()[p * 4 + c], Input(plain)->cells()[c * 64 + p]);
    }
  }
}

TEST_F(OperandsTest, AnotherPlaceIsAnotherBuffer) {
  const lower::Parameter plain = ParameterOf("", "x");
  EXPECT_NE(Input(plain, {}, 0), Input(plain, {}, 1));
}

TEST_F(OperandsTest, TheReferenceIsComputedOnceForAllLayouts) {
  const lower::Parameter plain = ParameterOf("", "y");
  const lower::Parameter padded = ParameterOf("layout y: split(1,4)", "y");
  absl::StatusOr<Operands::Output> output = OutputOf(plain);
  ALT_ASSERT_OK(output);
  EXPECT_EQ(output->want->size(), 6U * 8 * 8);
  EXPECT_EQ(output->buffer->cells().size(), output->want->size());
  output = OutputOf(padded);
  ALT_ASSERT_OK(output);
  EXPECT_EQ(output->want->size(), 8U * 8 * 8);  // two channels without data
  EXPECT_EQ(output->want->back(), 0);
  EXPECT_EQ(interpreter_.calls(), 1);
}

TEST_F(OperandsTest, ConstantsOfAnAlgorithmAreComputedAhead) {
  const workload::Algorithm algorithm{{workload::Winograd{4, 4}}};
  const lower::Parameter u = ParameterOf("algorithm winograd(4,4)", "u");
  const GuardedBuffer* transformed = Input(u, algorithm);
  EXPECT_EQ(transformed->cells().size(), 36U * 4 * 6);
  EXPECT_EQ(interpreter_.calls(), 1);
  EXPECT_EQ(Input(u, algorithm), transformed);
  EXPECT_EQ(interpreter_.calls(), 1);
}

TEST_F(OperandsTest, TrimDropsWhatIsPackedAndNothingElse) {
  ALT_ASSERT_OK(OutputOf(ParameterOf("", "y")));
  operands_->Trim(int64_t{1} << 40);
  operands_->Trim(0);
  ALT_ASSERT_OK(OutputOf(ParameterOf("", "y")));
  EXPECT_EQ(interpreter_.calls(), 1);
}

TEST_F(OperandsTest, AFailingReferenceIsTriedAgain) {
  int calls = 0;
  const Evaluator failing = [&](const te::Graph&,
                                const std::vector<const Cells*>&) -> absl::StatusOr<Cells> {
    ++calls;
    return absl::InternalError("no compiler");
  };
  for (int i = 1; i <= 2; ++i) {
    EXPECT_TRUE(StatusIs(operands_->OutputOf(ParameterOf("", "y"), 2, failing, loop_),
                         absl::StatusCode::kInternal, "reference: no compiler"));
    EXPECT_EQ(calls, i);
  }
}

TEST_F(OperandsTest, CancellingLeavesNothingHalfMade) {
  cancelled_ = true;
  HostLoop loop(2, is_cancelled_);
  EXPECT_TRUE(StatusIs(Operands::Create(kConv, 1, loop).status(), absl::StatusCode::kCancelled));
  const lower::Parameter x = ParameterOf("", "x"), y = ParameterOf("", "y");
  EXPECT_TRUE(StatusIs(operands_->Input(x, {}, 0, interpreter_.evaluator(), loop).status(),
                       absl::StatusCode::kCancelled));
  EXPECT_TRUE(StatusIs(operands_->OutputOf(y, 1, interpreter_.evaluator(), loop).status(),
                       absl::StatusCode::kCancelled));
  cancelled_ = false;
  EXPECT_GE(std::abs(Input(x)->cells()[0]), 1);
  ALT_EXPECT_OK(OutputOf(y));
}

TEST_F(OperandsTest, CellsDependOnTheSeedAloneNotOnThreads) {
  const workload::Workload large = {workload::Matmul{.m = 300, .n = 8, .k = 400}};
  const auto cells_of_a = [&](int threads) {
    HostLoop loop(threads, is_cancelled_);
    const auto operands = Operands::Create(large, 7, loop);
    EXPECT_TRUE(operands.ok());
    const auto graph = workload::MakeGraph(large);
    const lower::Parameter a{.tensor = *graph->FindTensor("a")};
    const auto input = (*operands)->Input(a, {}, 0, interpreter_.evaluator(), loop);
    EXPECT_TRUE(input.ok());
    return std::vector<float>((*input)->cells().begin(), (*input)->cells().end());
  };
  const std::vector<float> cells = cells_of_a(1);
  EXPECT_EQ(cells, cells_of_a(3));
  // Every magnitude and both signs, about as often.
  std::map<float, int> counts;
  for (const float cell : cells) ++counts[cell];
  EXPECT_EQ(counts.size(), 16U);
  for (const auto& [cell, count] : counts) EXPECT_NEAR(count, 7500, 500) << cell;
}

}  // namespace
}  // namespace alt::worker
