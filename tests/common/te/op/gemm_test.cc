#include "common/te/op/gemm.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/te/printer.h"
#include "common/te/verify.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensors.h"

namespace alt::te {
namespace {

using ::alt::testing::EvaluateTensor;
using ::alt::testing::IsOk;
using ::alt::testing::RandomInputs;

std::vector<double> DirectGemm(const GemmSpec& s, const std::vector<double>& a,
                               const std::vector<double>& b) {
  std::vector<double> c;
  for (int64_t batch = 0; batch < s.batch; ++batch) {
    for (int64_t m = 0; m < s.m; ++m) {
      for (int64_t n = 0; n < s.n; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < s.k; ++k) {
          const int64_t in_a = s.trans_a ? k * s.m + m : m * s.k + k;
          const int64_t in_b = s.trans_b ? n * s.k + k : k * s.n + n;
          sum += a[batch * s.m * s.k + in_a] * b[batch * s.k * s.n + in_b];
        }
        c.push_back(sum);
      }
    }
  }
  return c;
}

TEST(GemmTest, EveryTranspositionAndBatch) {
  base::Random random(1);
  for (int variant = 0; variant < 8; ++variant) {
    const GemmSpec spec{.m = 3,
                        .n = 4,
                        .k = 5,
                        .batch = (variant & 4) != 0 ? 2 : 1,
                        .trans_a = (variant & 1) != 0,
                        .trans_b = (variant & 2) != 0};
    const Graph graph = MakeGemm(spec);
    SCOPED_TRACE(Print(graph));
    ASSERT_TRUE(IsOk(Verify(graph)));
    const ir::Memory inputs = RandomInputs(graph, random);
    EXPECT_EQ(EvaluateTensor(graph, inputs, "c"),
              DirectGemm(spec, inputs.at(graph.tensors[0].buffer.get()),
                         inputs.at(graph.tensors[1].buffer.get())));
  }
}

TEST(GemmTest, TheBatchIsAnAxisOnlyWhenThereIsOne) {
  EXPECT_EQ(MakeGemm({.m = 2, .n = 3, .k = 4}).stages[0].spatial.size(), 2u);
  const Graph batched = MakeGemm({.m = 2, .n = 3, .k = 4, .batch = 5});
  EXPECT_EQ(batched.stages[0].spatial[0].name(), "b");
  EXPECT_EQ(batched.FindTensor("a")->buffer->shape, (std::vector<int64_t>{5, 2, 4}));
}

TEST(GemmTest, TransposedOperandsHaveTransposedShapes) {
  const Graph graph = MakeGemm({.m = 2, .n = 3, .k = 4, .trans_a = true, .trans_b = true});
  EXPECT_EQ(graph.FindTensor("a")->buffer->shape, (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(graph.FindTensor("b")->buffer->shape, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(graph.FindTensor("c")->buffer->shape, (std::vector<int64_t>{2, 3}));
}

TEST(GemmTest, ConstBDecidesTheRoleOfB) {
  EXPECT_EQ(MakeGemm({.const_b = true}).FindTensor("b")->role, Role::kConstant);
  EXPECT_EQ(MakeGemm({.const_b = false}).FindTensor("b")->role, Role::kInput);
}

}  // namespace
}  // namespace alt::te
