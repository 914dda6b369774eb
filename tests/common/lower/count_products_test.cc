#include "common/lower/count_products.h"

#include "common/lower/lower.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace alt::lower {
namespace {

using ir::Expr;
using ir::ForKind;

const ir::Buffer kX = ir::MakeBuffer("x", {1000});
const ir::Buffer kY = ir::MakeBuffer("y", {1000});

ir::Stmt MultiplyAdd(const Expr& index) {
  return ir::Store(kY, {index},
                   ir::Load(kY, {index}) + ir::Load(kX, {index}) * ir::Load(kX, {index}));
}

ir::Stmt Loop(const ir::Var& var, Expr extent, ir::Stmt body) {
  return ir::For(var, 0, std::move(extent), ForKind::kSerial, std::move(body));
}

int64_t Count(const ir::Stmt& body) {
  return CountProducts({.functions = {{.name = "f", .params = {kX, kY}, .body = body}}});
}

TEST(CountProductsTest, LoopsMultiply) {
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j");
  EXPECT_EQ(Count(MultiplyAdd(0)), 1);
  EXPECT_EQ(Count(Loop(i, 10, Loop(j, 7, MultiplyAdd(j)))), 70);
}

TEST(CountProductsTest, LanesCount) {
  const Expr index = ir::Ramp(0, 1, 16);
  EXPECT_EQ(Count(MultiplyAdd(index)), 16);
}

TEST(CountProductsTest, ExtentsThatDependOnOuterLoopsAreSummed) {
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j");
  EXPECT_EQ(Count(Loop(i, 10, Loop(j, Expr(i), MultiplyAdd(j)))), 45);
  EXPECT_EQ(Count(Loop(i, 10, Loop(j, ir::Min(Expr(4), 10 - Expr(i)), MultiplyAdd(j)))),
            7 * 4 + 3 + 2 + 1);
}

TEST(CountProductsTest, OnlyTheSideOfAnIfThatRuns) {
  const ir::Var i = ir::MakeVar("i");
  EXPECT_EQ(Count(Loop(i, 10, ir::If(Expr(i) < 3, MultiplyAdd(i)))), 3);
  EXPECT_EQ(Count(Loop(i, 10, ir::If(Expr(i) < 3, ir::Nop(), MultiplyAdd(i)))), 7);
}

TEST(CountProductsTest, OfASelectTheCheaperSide) {
  const Expr load = ir::Load(kX, {Expr(0)});
  const ir::Var i = ir::MakeVar("i");
  const Expr select = ir::Select(Expr(i) < 3, load * load, ir::FloatImm(0));
  EXPECT_EQ(Count(Loop(i, 10, ir::Store(kY, {Expr(i)}, select))), 0);
}

TEST(CountProductsTest, ProductsWithConstantsAreFree) {
  EXPECT_EQ(Count(ir::Store(kY, {Expr(0)}, ir::Load(kX, {Expr(0)}) * ir::FloatImm(0.5))), 0);
}

TEST(CountProductsTest, SharedSubexpressionsCountOnce) {
  const Expr square = ir::Load(kX, {Expr(0)}) * ir::Load(kX, {Expr(1)});
  EXPECT_EQ(Count(ir::Store(kY, {Expr(0)}, square + square)), 1);
}

TEST(CountProductsTest, WhatWouldTakeTooLongIsALowerBound) {
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j");
  const int64_t count =
      Count(Loop(i, 1000000000, Loop(j, ir::Min(Expr(i), Expr(1)), MultiplyAdd(0))));
  EXPECT_GT(count, 0);
  EXPECT_LT(count, 1000000000);
}

TEST(CountProductsTest, AMatmulHasAsManyAsItsFlopsSay) {
  const workload::Workload matmul = {workload::Matmul{.m = 24, .n = 20, .k = 17}};
  absl::StatusOr<workload::Candidate> candidate =
      workload::ParseCandidate("split(matmul.n, 16)\nvectorize(matmul.n.1)");
  ALT_ASSERT_OK(candidate);
  absl::StatusOr<Kernel> kernel = Lower(matmul, *candidate, {.mcpu = "znver4", .vec_bits = 512});
  ALT_ASSERT_OK(kernel);
  EXPECT_EQ(2 * static_cast<double>(CountProducts(kernel->module)), workload::Flops(matmul));
}

}  // namespace
}  // namespace alt::lower
