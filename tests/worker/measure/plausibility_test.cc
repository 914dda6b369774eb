#include "worker/measure/plausibility.h"

#include "common/lower/lower.h"
#include "common/workload/candidate.h"

namespace alt::worker {
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
  absl::StatusOr<lower::Kernel> kernel =
      lower::Lower(matmul, *candidate, {.mcpu = "znver4", .vec_bits = 512});
  ALT_ASSERT_OK(kernel);
  EXPECT_EQ(2 * static_cast<double>(CountProducts(kernel->module)), workload::Flops(matmul));
}

TEST(ImplausibleBelowNsTest, HalfOfTheLargerOfBothFloors) {
  const MachineSpeed speed{.gflops = 100, .l1_read_gbs = 200};
  EXPECT_DOUBLE_EQ(ImplausibleBelowNs(1000, 100, speed), 10);     // 2000 FLOPs at 100 a ns
  EXPECT_DOUBLE_EQ(ImplausibleBelowNs(1000, 40000, speed), 100);  // 40 kB at 200 bytes a ns
}

TEST(ImplausibleBelowNsTest, WithoutASpeedThereIsNoFloor) {
  EXPECT_EQ(ImplausibleBelowNs(1000, 1000, {}), 0);
}

TEST(HopelessCodeTest, OnlyManySpillsForTheWorkAreHopeless) {
  EXPECT_FALSE(HopelessCode({.vector_fmas = 100, .inner_loop_spills = 0}).has_value());
  EXPECT_FALSE(HopelessCode({.vector_fmas = 100, .inner_loop_spills = 50}).has_value());
  EXPECT_FALSE(HopelessCode({.vector_fmas = 10, .inner_loop_spills = 31}).has_value());
  const auto reason = HopelessCode({.vector_fmas = 100, .inner_loop_spills = 60});
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(*reason, "60 register spills in inner loops, 100 FMAs in all");
}

}  // namespace
}  // namespace alt::worker
