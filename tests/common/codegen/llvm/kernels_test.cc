// Whole kernels: that they compute the right thing on small shapes, and that their machine code is
// what a register tile should become. The code is checked for a fixed CPU, on any machine.
#include "tests/common/codegen/kernels.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "tests/common/codegen/run_both.h"
#include "tests/testing/status_matchers.h"

namespace alt::testing {
namespace {

runtime::CodeFacts FactsOf(const ir::Module& module, const target::Target& target) {
  auto codegen = codegen::CreateLlvmCodegen(target);
  auto artifact = (*codegen)->Compile(module);
  return artifact.ok() ? artifact->facts : runtime::CodeFacts{};
}
const target::Target kZen4{.mcpu = "znver4", .vec_bits = 512};
const target::Target kHaswell{.mcpu = "haswell", .vec_bits = 256};

TEST(KernelsTest, ComputeTheRightThing) {
  EXPECT_TRUE(RunsAsInterpreted(
      DirectConv({.channels = 16, .size = 8}, {.rows = 4, .vectors = 2, .lanes = 8, .unroll = 2})));
  EXPECT_TRUE(RunsAsInterpreted(Gemm(12, 48, 8, {.rows = 6, .vectors = 3, .lanes = 8})));
  EXPECT_TRUE(RunsAsInterpreted(Depthwise(32, 8, 4, 2, 16)));
  EXPECT_TRUE(RunsAsInterpreted(GroupVector(8, 3, 6, 2, 8)));
  EXPECT_TRUE(RunsAsInterpreted(GroupPermute(32, 6, 3, 16)));
}

TEST(KernelsTest, TilesOf512BitsKeepTheirAccumulators) {
  const int tiles[][2] = {{14, 2}, {12, 2}, {8, 2}, {6, 4}, {8, 3}, {9, 3}, {28, 1}};
  for (const auto& [rows, vectors] : tiles) {
    for (int unroll : {1, 2, 4}) {
      SCOPED_TRACE(absl::StrCat(rows, "x", vectors, " unrolled by ", unroll));
      const runtime::CodeFacts facts =
          FactsOf(DirectConv({.channels = 16 * vectors * 4, .size = 56 * 9 * 2},
                             {.rows = rows, .vectors = vectors, .unroll = unroll}),
                  kZen4);
      EXPECT_EQ(facts.vector_fmas, rows * vectors * unroll);
      // Every input is loaded once, unless it is an operand of its only use.
      EXPECT_EQ(facts.vector_loads, (rows + vectors) * unroll);
      EXPECT_EQ(facts.spills, 0);
    }
  }
}

TEST(KernelsTest, VectorsOf512BitsStayWholeOnEveryCpuThatHasThem) {
  for (const char* mcpu : {"skylake-avx512", "icelake-server", "sapphirerapids", "x86-64-v4"}) {
    SCOPED_TRACE(mcpu);
    const runtime::CodeFacts facts =
        FactsOf(Gemm(56, 64, 64, {.rows = 14, .vectors = 2}), {.mcpu = mcpu, .vec_bits = 512});
    EXPECT_EQ(facts.vector_fmas, 28);
    EXPECT_EQ(facts.spills, 0);
  }
}

TEST(KernelsTest, TilesOf256BitsKeepTheirAccumulators) {
  const int tiles[][2] = {{6, 2}, {4, 3}, {3, 4}, {5, 2}, {12, 1}};
  for (const auto& [rows, vectors] : tiles) {
    SCOPED_TRACE(absl::StrCat(rows, "x", vectors));
    const runtime::CodeFacts facts =
        FactsOf(Gemm(60, 96, 64, {.rows = rows, .vectors = vectors, .lanes = 8}), kHaswell);
    EXPECT_EQ(facts.vector_fmas, rows * vectors);
    EXPECT_EQ(facts.spills, 0);
  }
}

TEST(KernelsTest, TileThatCannotFitSpillsInItsInnerLoop) {
  const runtime::CodeFacts facts = FactsOf(Gemm(60, 64, 64, {.rows = 20, .vectors = 2}), kZen4);
  EXPECT_GT(facts.inner_loop_spills, 0);
  EXPECT_GE(facts.spills, facts.inner_loop_spills);
}

TEST(KernelsTest, InputsOfADepthwiseTileAreShared) {
  const runtime::CodeFacts facts = FactsOf(Depthwise(64, 56, 7, 1, 16), kZen4);
  EXPECT_EQ(facts.vector_fmas, 8 * 7);  // the first tap of a pixel is a product
  EXPECT_EQ(facts.vector_loads, 3 * 9 + 9);
  EXPECT_EQ(facts.spills, 0);
}

TEST(KernelsTest, InputsTooManyForTheRegistersAreLoadedAgain) {
  // 4 rows of 16 pixels and 9 filters: kept, they would be spilled. Loaded again, they are
  // operands.
  const runtime::CodeFacts facts = FactsOf(Depthwise(64, 56, 14, 2, 16), kZen4);
  EXPECT_EQ(facts.spills, 0);
  EXPECT_GT(facts.vector_loads, 4 * 16 + 9);
  EXPECT_LT(facts.vector_loads, 2 * (4 * 16 + 9));
}

TEST(KernelsTest, GroupsAreReadOnceAndPermuted) {
  const runtime::CodeFacts facts = FactsOf(GroupPermute(128, 56, 7, 16), kZen4);
  EXPECT_EQ(facts.vector_fmas, 7 * 12);
  EXPECT_EQ(facts.vector_loads, 9 + 12);
  EXPECT_EQ(facts.spills, 0);
}

TEST(KernelsTest, BlocksOfEverySizeAreTransposed) {
  for (const int lanes : {2, 4, 8, 16}) {
    SCOPED_TRACE(lanes);
    EXPECT_TRUE(RunsAsInterpreted(TransposedCopy(lanes, lanes, lanes)));
    EXPECT_TRUE(RunsAsInterpreted(TransposedCopy(3 * lanes, 2 * lanes, lanes)));
  }
}

int Count(absl::string_view text, absl::string_view what) {
  int count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(KernelsTest, ABlockIsTransposedInRegisters) {
  for (const auto& [target, lanes, steps] :
       {std::tuple(kZen4, 16, 4), std::tuple(kHaswell, 8, 3), std::tuple(kHaswell, 4, 2)}) {
    SCOPED_TRACE(absl::StrCat(target.mcpu, " ", lanes));
    const ir::Module module = TransposedCopy(64, 64, lanes);
    auto codegen = codegen::CreateLlvmCodegen(target);
    ALT_ASSERT_OK_AND_ASSIGN(const std::string code, (*codegen)->Assembly(module));
    const int shuffles = Count(code, "\tvunpck") + Count(code, "\tvshuf") + Count(code, "\tvperm") +
                         Count(code, "\tvinsert") + Count(code, "\tvmovlhps") +
                         Count(code, "\tvextract");
    EXPECT_EQ(shuffles, lanes * steps) << code;
    // Neither scalars nor gathers, nor lanes put in one by one.
    for (const char* slow : {"vmovss", "vgather", "vpgather", "vpextr", "vextractps", "vinsertps",
                             "vpinsr", "vblend"}) {
      EXPECT_EQ(Count(code, slow), 0) << slow << " in\n" << code;
    }
    EXPECT_EQ(FactsOf(module, target).spills, 0);
  }
}

TEST(KernelsTest, BufferOnTheStackIsNoSpill) {
  ir::Buffer x = ir::MakeBuffer("x", {256}), y = ir::MakeBuffer("y", {256});
  ir::Buffer t = ir::MakeBuffer("t", {256}, ir::kF32, ir::Scope::kLocal);
  ir::Var v = ir::MakeVar("v"), w = ir::MakeVar("w");
  auto copy = [&](const ir::Var& i, const ir::Buffer& to, const ir::Buffer& from) {
    const ir::Expr at = ir::Ramp(ir::Expr(i) * 16, 1, 16);
    return ir::For(i, 0, 16, ir::ForKind::kSerial, ir::Store(to, {at}, ir::Load(from, {at})));
  };
  const ir::Module module{
      {{"f", {x, y}, ir::Allocate(t, ir::Block({copy(v, t, x), copy(w, y, t)}))}}};
  EXPECT_TRUE(RunsAsInterpreted(module));
  const runtime::CodeFacts facts = FactsOf(module, kZen4);
  EXPECT_EQ(facts.spills, 0);
  EXPECT_EQ(facts.vector_loads, 2);
}

}  // namespace
}  // namespace alt::testing
