#include "common/lower/create_loop_nest.h"

#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/schedule/apply.h"
#include "common/workload/workload.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

// The program of a trace, simplified, without its parameters.
std::string NestOf(const std::string& workload, const std::string& trace) {
  const auto graph = workload::MakeGraph(*workload::Parse(workload));
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto nest = schedule::ApplyTrace(*graph, *schedule::Parse(trace));
  EXPECT_TRUE(nest.ok()) << nest.status();
  return nest.ok() ? ir::Print(ir::Simplify(*CreateLoopNest(*nest))) : "";
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CreateLoopNestTest, AReductionSumsInAnAccumulatorAndWritesTheOutputOnce) {
  EXPECT_EQ(NestOf("matmul:m=2,n=3,k=4", ""),
            "for m in [0, 2) {\n"
            "  for n in [0, 3) {\n"
            "    allocate c_acc: f32[] local {\n"
            "      c_acc[] = 0.0\n"
            "      for k in [0, 4) {\n"
            "        c_acc[] = c_acc[] + a[m, k]*b[k, n]\n"
            "      }\n"
            "      c[m, n] = c_acc[]\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(CreateLoopNestTest, SpatialLoopsInsideTheReductionMakeATileOfSums) {
  EXPECT_EQ(NestOf("matmul:m=2,n=8,k=4", "split(matmul.n, 4) reorder(matmul: m n.0 k n.1)"),
            "for m in [0, 2) {\n"
            "  for n.0 in [0, 2) {\n"
            "    allocate c_acc: f32[4] local {\n"
            "      for n.1 in [0, 4) {\n"
            "        c_acc[n.1] = 0.0\n"
            "      }\n"
            "      for k in [0, 4) {\n"
            "        for n.1 in [0, 4) {\n"
            "          c_acc[n.1] = c_acc[n.1] + a[m, k]*b[k, 4*n.0 + n.1]\n"
            "        }\n"
            "      }\n"
            "      for n.1 in [0, 4) {\n"
            "        c[m, 4*n.0 + n.1] = c_acc[n.1]\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(CreateLoopNestTest, ARemainderInsideIsAShorterLoop) {
  const std::string text =
      NestOf("matmul:m=2,n=7,k=4", "split(matmul.n, 4) reorder(matmul: m n.0 k n.1)");
  EXPECT_NE(text.find("c_acc: f32[4]"), std::string::npos) << text;
  EXPECT_EQ(Count(text, "for n.1 in [0, min(7 - 4*n.0, 4)"), 3u) << text;
}

TEST(CreateLoopNestTest, ARemainderWhoseOuterLoopIsFurtherInIsGuarded) {
  const std::string text =
      NestOf("matmul:m=2,n=7,k=4", "split(matmul.n, 4) reorder(matmul: n.1 m n.0 k)");
  EXPECT_NE(text.find("for n.1 in [0, 4) {"), std::string::npos) << text;
  EXPECT_NE(text.find("if "), std::string::npos) << text;
}

TEST(CreateLoopNestTest, AStageOfItsOwnIsComputedWholeBeforeItsConsumer) {
  const std::string text = NestOf("conv2d:n=1,ic=1,ih=4,iw=4,oc=2,kh=3,kw=3,pad=1", "");
  EXPECT_EQ(text.find("allocate xp: f32[1, 1, 6, 6] local {"), 0u) << text;
  EXPECT_LT(text.find("xp["), text.find("y_acc")) << text;
  EXPECT_NE(text.find("select("), std::string::npos) << text;
}

TEST(CreateLoopNestTest, AnInlinedStageStandsWhereItIsRead) {
  const std::string text = NestOf("conv2d:n=1,ic=1,ih=4,iw=4,oc=2,kh=3,kw=3,pad=1", "inline(pad)");
  EXPECT_EQ(text.find("xp"), std::string::npos) << text;
  EXPECT_NE(text.find("select("), std::string::npos) << text;
}

TEST(CreateLoopNestTest, AStageComputedInsideALoopHasABufferOfItsRegion) {
  const std::string text =
      NestOf("conv2d:n=1,ic=1,ih=8,iw=8,oc=2,kh=3,kw=3,pad=1", "compute_at(pad, conv.h)");
  EXPECT_NE(text.find("allocate xp: f32[1, 1, 3, 10] local {"), std::string::npos) << text;
  EXPECT_LT(text.find("for h in [0, 8) {"), text.find("allocate xp")) << text;
}

TEST(CreateLoopNestTest, LoopKindsAndLanesAreThoseOfTheTrace) {
  const std::string text =
      NestOf("matmul:m=8,n=16,k=4",
             "parallel(matmul.m) reorder(matmul: m k n) vectorize(matmul.n, 8) unroll(matmul.k)");
  EXPECT_NE(text.find("for m in [0, 8) parallel {"), std::string::npos) << text;
  EXPECT_NE(text.find("for k in [0, 4) unrolled {"), std::string::npos) << text;
  EXPECT_EQ(Count(text, "for n in [0, 16) vectorized(8) {"), 3u) << text;
}

TEST(CreateLoopNestTest, AHintStandsBeforeTheBodySoManyIterationsAhead) {
  const std::string text = NestOf("matmul:m=4,n=4,k=16", "prefetch(matmul.k, a, 8)");
  EXPECT_NE(text.find("prefetch a[m, k + 8]\n"), std::string::npos) << text;
  EXPECT_LT(text.find("prefetch a"), text.find("a[m, k]*b[k, n]")) << text;
}

TEST(CreateLoopNestTest, AHintThatNamesLoopsFurtherInIsDropped) {
  EXPECT_EQ(NestOf("matmul:m=2,n=3,k=4", "prefetch(matmul.m, a, 1)"),
            NestOf("matmul:m=2,n=3,k=4", ""));
  // The length of n.1 is decided by n.0, inside it.
  const std::string nest =
      "split(matmul.n, 4) reorder(matmul: m k n.1 n.0) unroll(matmul.n.0) unroll(matmul.n.1) ";
  EXPECT_EQ(NestOf("matmul:m=2,n=7,k=4", nest + "prefetch(matmul.k, b, 1)"),
            NestOf("matmul:m=2,n=7,k=4", nest));
}

TEST(CreateLoopNestTest, AHintForWhatTheLoopComputesIsDropped) {
  const std::string conv = "conv2d:n=1,ic=1,ih=8,iw=8,oc=2,kh=3,kw=3,pad=1";
  // All loops after h are unrolled: nothing else stands in the way of a hint.
  const std::string nest =
      "compute_at(pad, conv.h) unroll(conv.w) unroll(conv.ic) unroll(conv.kh) unroll(conv.kw) "
      "reorder(conv: ic kh kw w) ";
  EXPECT_EQ(NestOf(conv, nest + "prefetch(conv.h, xp, 1)"), NestOf(conv, nest));
  EXPECT_EQ(NestOf(conv, nest + "prefetch(conv.o, xp, 1)"), NestOf(conv, nest));
  EXPECT_NE(NestOf(conv, nest + "prefetch(conv.kh, xp, 1)"), NestOf(conv, nest))
      << "inside that loop xp is there";
}

}  // namespace
}  // namespace alt::lower
