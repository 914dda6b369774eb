#include "common/workload/op/matmul.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace alt::workload {
namespace {

using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(MatmulTest, AttributesReachTheirFields) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload workload,
                           Parse("matmul:m=2,n=3,k=4,batch=5,trans_a=1,trans_b=0,const_b=0"));
  const Matmul expected{.m = 2, .n = 3, .k = 4, .batch = 5, .trans_a = true, .const_b = false};
  EXPECT_EQ(workload, Workload{expected});
  ALT_ASSERT_OK_AND_ASSIGN(const te::Graph graph, MakeGraph(workload));
  EXPECT_EQ(graph.FindTensor("a")->buffer->shape, (std::vector<int64_t>{5, 4, 2}));
  EXPECT_EQ(graph.FindTensor("b")->role, te::Role::kInput);
}

TEST(MatmulTest, BIsAConstantByDefault) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload workload, Parse("matmul:m=2,n=3,k=4"));
  ALT_ASSERT_OK_AND_ASSIGN(const te::Graph graph, MakeGraph(workload));
  EXPECT_EQ(graph.FindTensor("b")->role, te::Role::kConstant);
}

TEST(MatmulTest, FlopsAndBytes) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload workload, Parse("matmul:m=2,n=3,k=4,batch=5"));
  EXPECT_EQ(Flops(workload), 2.0 * 2 * 3 * 4 * 5);
  EXPECT_EQ(CompulsoryBytes(workload), 4.0 * 5 * (2 * 4 + 4 * 3 + 2 * 3));
}

TEST(MatmulTest, ThereIsTheDirectFormOnly) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload workload, Parse("matmul:m=2,n=3,k=4"));
  EXPECT_EQ(Algorithms(workload), std::vector<Algorithm>{{}});
}

TEST(MatmulTest, EveryTensorIsBounded) {
  const std::string large = "1048576", larger = "2097152";
  EXPECT_TRUE(StatusIs(Parse("matmul:n=1,m=" + large + ",k=" + larger), kInvalid, "tensor a"));
  EXPECT_TRUE(StatusIs(Parse("matmul:m=1,n=" + large + ",k=" + larger), kInvalid, "tensor b"));
  EXPECT_TRUE(StatusIs(Parse("matmul:k=1,m=" + large + ",n=" + larger), kInvalid, "tensor c"));
}

TEST(MatmulTest, SpellingsOfOtherTools) {
  EXPECT_TRUE(
      StatusIs(Parse("matmul:m=1,n=1,k=1,transpose_a=1"), kInvalid, "did you mean 'trans_a'?"));
  EXPECT_TRUE(StatusIs(Parse("matmul:rows=1"), kInvalid, "did you mean 'm'?"));
}

}  // namespace
}  // namespace alt::workload
