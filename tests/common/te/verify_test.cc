#include "common/te/verify.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "common/te/op/conv.h"
#include "common/te/op/gemm.h"
#include "common/te/op/winograd.h"
#include "tests/testing/status_matchers.h"

namespace alt::te {
namespace {

using ::alt::testing::IsOk;
using ::alt::testing::StatusIs;

constexpr auto kInternal = absl::StatusCode::kInternal;

// out[i] = in[i] twice over: in -> mid -> out.
class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    graph_.tensors = {{in_, Role::kInput}, {out_, Role::kOutput}, {mid_, Role::kIntermediate}};
    graph_.stages = {Copy("first", in_, mid_), Copy("second", mid_, out_)};
  }
  static Stage Copy(const std::string& name, const ir::Buffer& from, const ir::Buffer& to) {
    const Axis i = MakeAxis("i", 4);
    return {.name = name, .output = to, .spatial = {i}, .body = ir::Load(from, {ir::Expr(i.var)})};
  }
  void ExpectBroken(const std::string& reason) {
    EXPECT_TRUE(StatusIs(Verify(graph_), kInternal, reason));
  }

  const ir::Buffer in_ = ir::MakeBuffer("in", {4});
  const ir::Buffer mid_ = ir::MakeBuffer("mid", {4});
  const ir::Buffer out_ = ir::MakeBuffer("out", {4});
  Graph graph_;
};

TEST_F(VerifyTest, AChainOfCopiesIsFine) { EXPECT_TRUE(IsOk(Verify(graph_))); }

TEST_F(VerifyTest, OperatorsAreFine) {
  EXPECT_TRUE(IsOk(Verify(MakeGemm({.m = 2, .n = 3, .k = 4, .batch = 5}))));
  const ConvSpec conv{.n = 2, .ic = 2, .oc = 2, .axes = {{.input = 5, .kernel = 3}, {.input = 5}}};
  EXPECT_TRUE(IsOk(Verify(MakeConv(conv))));
  ALT_ASSERT_OK_AND_ASSIGN(const Graph winograd, MakeWinogradConv(conv, 2, 2));
  EXPECT_TRUE(IsOk(Verify(winograd)));
}

TEST_F(VerifyTest, AnEmptyGraphIsBroken) {
  EXPECT_TRUE(StatusIs(Verify(Graph()), kInternal, "no stage"));
}

TEST_F(VerifyTest, NamesAreUnique) {
  graph_.stages[1].name = "first";
  ExpectBroken("two stages are named first");
  graph_.stages[1].name = "second";
  graph_.tensors.push_back({ir::MakeBuffer("in", {2}), Role::kInput});
  ExpectBroken("two tensors are named in");
}

TEST_F(VerifyTest, AxesOfAStageAreNamedApart) {
  graph_.stages[0].reduction = {MakeAxis("i", 2)};
  ExpectBroken("first: two axes are named i");
}

TEST_F(VerifyTest, AxesMatchTheOutput) {
  graph_.stages[0].spatial[0].extent = 3;
  ExpectBroken("axis i has extent 3, its dimension 4");
  graph_.stages[0].spatial.push_back(MakeAxis("j", 1));
  ExpectBroken("2 spatial axes for 1 dimensions");
}

TEST_F(VerifyTest, AStageReadsOnlyWhatWasWrittenBefore) {
  std::swap(graph_.stages[0], graph_.stages[1]);
  ExpectBroken("second: it reads mid, which no earlier stage has written");
}

TEST_F(VerifyTest, AForeignVariableIsNoAxis) {
  graph_.stages[0].body = ir::Load(in_, {ir::Expr(ir::MakeVar("i"))});
  ExpectBroken("variable i is no axis");
}

TEST_F(VerifyTest, AStageHasABody) {
  graph_.stages[0].body = ir::Expr();
  ExpectBroken("first: it has no body");
}

TEST_F(VerifyTest, TablesMayBeReadWithoutBeingTensors) {
  const ir::Expr i = graph_.stages[0].spatial[0].var;
  const ir::Buffer table = ir::MakeTable("t", {4}, {1, 2, 3, 4});
  graph_.stages[0].body = ir::Load(table, {i}) * ir::Load(in_, {i});
  EXPECT_TRUE(IsOk(Verify(graph_)));
}

TEST_F(VerifyTest, OutputsAreTensorsWithOneWriter) {
  graph_.stages[0].output = ir::MakeBuffer("elsewhere", {4});
  ExpectBroken("first: its output is no tensor");
  graph_.stages[0].output = out_;
  graph_.stages[1] = Copy("second", in_, out_);
  ExpectBroken("second: its output has a writer already");
}

TEST_F(VerifyTest, RolesFitTheWriters) {
  graph_.tensors[2].role = Role::kInput;
  ExpectBroken("mid: role input does not fit a tensor that stage first writes");
  graph_.tensors[2].role = Role::kConstant;
  ExpectBroken("role constant");
  graph_.tensors[2].role = Role::kOutput;
  ExpectBroken("role output");
  graph_.tensors[2].role = Role::kIntermediate;
  graph_.tensors[0].role = Role::kIntermediate;
  ExpectBroken("in: role intermediate does not fit a tensor that no stage writes");
}

TEST_F(VerifyTest, WhatDependsOnConstantsAloneIsConstant) {
  graph_.tensors[0].role = Role::kConstant;
  ExpectBroken("mid: role intermediate");
  graph_.tensors[2].role = Role::kConstant;
  EXPECT_TRUE(IsOk(Verify(graph_)));
}

TEST_F(VerifyTest, TheLastStageWritesTheOutput) {
  graph_.stages.pop_back();
  graph_.tensors.erase(graph_.tensors.begin() + 1);
  ExpectBroken("last stage does not write the output");
}

}  // namespace
}  // namespace alt::te
