#include "common/lower/partition_loops.h"

#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

class PartitionLoopsTest : public ::testing::Test {
 protected:
  static std::string Partitioned(const ir::Stmt& s) {
    return ir::Print(PartitionLoops(ir::Simplify(s)));
  }
  // y[index] = select(condition, x[index], 0)
  ir::Stmt Guarded(const ir::Expr& condition, const ir::Expr& index) const {
    return ir::Store(y_, {index}, ir::Select(condition, ir::Load(x_, {index}), ir::Zero(ir::kF32)));
  }
  static ir::Stmt Loop(const ir::Var& var, ir::Expr extent, ir::Stmt body,
                       ir::ForKind kind = ir::ForKind::kSerial) {
    return ir::For(var, 0, std::move(extent), kind, std::move(body));
  }

  ir::Buffer x_ = ir::MakeBuffer("x", {1000});
  ir::Buffer y_ = ir::MakeBuffer("y", {1000});
  ir::Var h_ = ir::MakeVar("h");
  ir::Var w_ = ir::MakeVar("w");
};

TEST_F(PartitionLoopsTest, ALoopIsCutWhereItsConditionChanges) {
  const ir::Expr w(w_);
  EXPECT_EQ(Partitioned(Loop(w_, 58, Guarded(ir::And(w >= 1, w < 57), w))),
            "y[0] = 0.0\n"
            "for w in [1, 57) {\n"
            "  y[w] = x[w]\n"
            "}\n"
            "y[57] = 0.0\n");
}

TEST_F(PartitionLoopsTest, ALoopWithoutConditionsStaysAsItIs) {
  const ir::Stmt loop = Loop(w_, 8, ir::Store(y_, {w_}, ir::Load(x_, {w_})));
  EXPECT_TRUE(PartitionLoops(loop).same_as(loop) ||
              ir::Print(PartitionLoops(loop)) == ir::Print(loop));
}

TEST_F(PartitionLoopsTest, ASerialInnerLoopIsCutAtAnExpressionOfTheOuterOnes) {
  const ir::Expr h(h_), w(w_);
  const std::string text = Partitioned(Loop(h_, 56, Loop(w_, 3, Guarded(h + w >= 1, h * 3 + w))));
  EXPECT_EQ(text.find("select"), std::string::npos) << text;
  EXPECT_NE(text.find("max(1 - h, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("for h in [0, 56)"), std::string::npos) << text;
}

TEST_F(PartitionLoopsTest, AVectorizedInnerLoopNeedsConstantCutsAroundIt) {
  const ir::Expr h(h_), w(w_);
  const std::string text = Partitioned(
      Loop(h_, 4, Loop(w_, 16, Guarded(h * 16 + w < 57, h * 16 + w), ir::ForKind::kVectorized)));
  EXPECT_EQ(text,
            "for h in [0, 3) {\n"
            "  for w in [0, 16) vectorized {\n"
            "    y[16*h + w] = x[16*h + w]\n"
            "  }\n"
            "}\n"
            "for w in [0, 9) vectorized {\n"
            "  y[w + 48] = x[w + 48]\n"
            "}\n"
            "for w in [9, 16) vectorized {\n"
            "  y[w + 48] = 0.0\n"
            "}\n");
}

TEST_F(PartitionLoopsTest, RemaindersOfUnrolledLoopsBecomeConstant) {
  const ir::Expr h(h_), w(w_);
  const std::string text = Partitioned(
      Loop(h_, 4,
           Loop(w_, ir::Min(16, ir::Expr(57) - h * 16),
                ir::Store(y_, {h * 16 + w}, ir::Load(x_, {h * 16 + w})), ir::ForKind::kUnrolled)));
  EXPECT_EQ(text.find("min"), std::string::npos) << text;
  EXPECT_NE(text.find("for h in [0, 3)"), std::string::npos) << text;
  EXPECT_NE(text.find("for w in [0, 9) unrolled"), std::string::npos) << text;
}

TEST_F(PartitionLoopsTest, AParallelLoopStaysOneLoop) {
  const ir::Expr w(w_);
  const std::string text = Partitioned(Loop(w_, 58, Guarded(w >= 1, w), ir::ForKind::kParallel));
  EXPECT_EQ(text,
            "for w in [0, 58) parallel {\n"
            "  if w < 1 {\n"
            "    y[0] = 0.0\n"
            "  } else {\n"
            "    y[w] = x[w]\n"
            "  }\n"
            "}\n");
}

TEST_F(PartitionLoopsTest, CopiesAreBounded) {
  // Eight loops with two cuts each would be 6561 copies.
  ir::Stmt body = ir::Store(y_, {0}, ir::Zero(ir::kF32));
  ir::Expr condition = ir::BoolImm(true), index = 0;
  std::vector<ir::Var> vars;
  for (int i = 0; i < 8; ++i) {
    vars.push_back(ir::MakeVar("v"));
    condition = ir::And(condition, ir::And(ir::Expr(vars.back()) >= 1, ir::Expr(vars.back()) < 3));
    index = index + ir::Expr(vars.back());
  }
  ir::Stmt loops = Guarded(condition, index);
  for (const ir::Var& var : vars) loops = Loop(var, 4, loops);
  int stores = 0;
  const std::string text = Partitioned(loops);
  for (size_t at = 0; (at = text.find("y[", at)) != std::string::npos; ++at) ++stores;
  EXPECT_LE(stores, 64);
  EXPECT_NE(text.find("select"), std::string::npos) << "the rest is decided at run time";
}

}  // namespace
}  // namespace alt::lower
