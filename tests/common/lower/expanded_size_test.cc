#include "common/lower/expanded_size.h"

#include <limits>

#include "common/ir/simplify.h"
#include "common/lower/unroll_loops.h"
#include "common/lower/vectorize_loops.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

constexpr int kLanes = 16;

class ExpandedSizeTest : public ::testing::Test {
 protected:
  // A load and a store: two each.
  ir::Stmt Copy(const ir::Expr& index) const {
    return ir::Store(y_, {index}, ir::Load(x_, {index}));
  }
  static constexpr int64_t kCopy = 4;
  static constexpr int64_t kLoop = 5;

  static ir::Stmt Loop(const ir::Var& var, const ir::Expr& extent, const ir::Stmt& body,
                       ir::ForKind kind = ir::ForKind::kUnrolled, int lanes = 0) {
    return ir::For(var, 0, extent, kind, body, lanes);
  }
  static int64_t Size(const ir::Stmt& s) { return ExpandedSize(s, kLanes); }

  const ir::Buffer x_ = ir::MakeBuffer("x", {1000});
  const ir::Buffer y_ = ir::MakeBuffer("y", {1000});
  const ir::Var i_ = ir::MakeVar("i"), j_ = ir::MakeVar("j"), k_ = ir::MakeVar("k");
};

TEST_F(ExpandedSizeTest, FloatOperationsAndAccessesCount) {
  EXPECT_EQ(Size(Copy(i_)), kCopy);
  EXPECT_EQ(Size(ir::Store(y_, {0}, ir::Load(x_, {0}) * ir::Load(x_, {1}) + ir::Load(x_, {2}))),
            3 * 2 + 2 + 2);
  EXPECT_EQ(Size(ir::Store(y_, {0}, ir::FloatImm(1))), 2);
}

TEST_F(ExpandedSizeTest, LinearIndicesAreFree) {
  EXPECT_EQ(Size(Copy(ir::Expr(i_) * 10 + j_ - 3)), kCopy);
}

TEST_F(ExpandedSizeTest, CopiesOfUnrolledLoopsAndVectorsCountEach) {
  const ir::Stmt vectors = Loop(k_, 27, Copy(ir::Expr(i_) + j_ + k_), ir::ForKind::kVectorized);
  const ir::Stmt nest = Loop(i_, 9, Loop(j_, 5, vectors), ir::ForKind::kSerial);
  EXPECT_EQ(Size(nest), kLoop + 5 * 4 * kCopy) << "27 lanes are 16, 8, 2 and 1";
  EXPECT_EQ(Size(ir::Simplify(UnrollLoops(VectorizeLoops(nest, kLanes)))), Size(nest))
      << "what is expanded already counts the same";
}

TEST_F(ExpandedSizeTest, ATransposedBlockIsItsVectorsAndTheirShuffles) {
  const ir::Stmt copy =
      ir::Store(y_, {ir::Expr(i_) * 30 + j_}, ir::Load(x_, {ir::Expr(j_) * 30 + i_}));
  const auto tile = [&](int64_t rows, int64_t columns) {
    return Size(Loop(i_, rows, Loop(j_, columns, copy, ir::ForKind::kTransposed),
                     ir::ForKind::kTransposed));
  };
  EXPECT_EQ(tile(16, 16), 16 * (kCopy + 4));
  EXPECT_EQ(tile(16, 20), 2 * 16 * (kCopy + 4)) << "the second block overlaps the first";
  EXPECT_EQ(tile(16, 4), 4 * 4 * (kCopy + 2));
}

TEST_F(ExpandedSizeTest, BranchesAndLoopsOfUnknownLengthCountOnce) {
  EXPECT_EQ(Size(ir::If(ir::Expr(k_) < 3, Copy(0), Copy(1))), 1 + 1 + 2 * kCopy);
  EXPECT_EQ(Size(Loop(i_, 0, Copy(i_))), 0);
  EXPECT_EQ(Size(Loop(i_, ir::Expr(k_), Copy(i_))), kLoop + kCopy) << "stays a loop";
  EXPECT_EQ(Size(Loop(i_, 1000, Loop(j_, 1000, Copy(i_)))), 1'000'000 * kCopy);
}

TEST_F(ExpandedSizeTest, LoopsWhoseLengthUnrolledOnesDecideCountAtTheirLongest) {
  const ir::Stmt inner = Loop(j_, ir::Min(4, 10 - 4 * ir::Expr(i_)), Copy(i_));
  EXPECT_EQ(Size(Loop(i_, 3, inner)), 12 * kCopy) << "10, of 3 times at most 4";
  EXPECT_EQ(Size(Loop(i_, 3, inner, ir::ForKind::kSerial)), 2 * kLoop + kCopy);
  const ir::Stmt deeper = Loop(k_, ir::Expr(j_) + 1, Copy(i_));
  EXPECT_EQ(Size(Loop(i_, 3, Loop(j_, ir::Expr(i_) + 1, deeper))), 3 * 3 * 3 * kCopy);
}

TEST_F(ExpandedSizeTest, VectorsWiderThanTheMachineAreSeveralOperations) {
  const auto copy = [&](int lanes) {
    return Size(Loop(i_, 64, Copy(i_), ir::ForKind::kVectorized, lanes));
  };
  EXPECT_EQ(copy(16), 4 * kCopy);
  EXPECT_EQ(copy(64), 4 * kCopy);
  EXPECT_EQ(copy(4), 16 * kCopy) << "lanes that the loop asks for";
}

TEST_F(ExpandedSizeTest, AVectorThatIsNoRunOfNeighboursCountsByLane) {
  const auto vector = [&](const ir::Expr& index) {
    return Size(Loop(i_, 16, ir::Store(y_, {i_}, ir::Load(x_, {index})), ir::ForKind::kVectorized));
  };
  EXPECT_EQ(vector(ir::Expr(i_) + 3), kCopy);
  EXPECT_EQ(vector(j_), kCopy) << "the same for all lanes";
  EXPECT_EQ(vector(ir::Expr(i_) * 2), 2 + 16 * 3);
  EXPECT_EQ(vector(ir::FloorDiv(i_, 3)), 2 + 16 * 3 + 16 * 3) << "and the index of each lane";
}

TEST_F(ExpandedSizeTest, IndexTermsCountWhereCopiesDifferInThem) {
  const auto unrolled = [&](const ir::Expr& index) { return Size(Loop(i_, 10, Copy(index))); };
  EXPECT_EQ(unrolled(ir::FloorDiv(j_, 3)), 10 * kCopy) << "computed once";
  EXPECT_EQ(unrolled(ir::FloorDiv(i_, 3)), 10 * kCopy) << "a number in each copy";
  EXPECT_EQ(unrolled(ir::FloorDiv(ir::Expr(i_) + j_, 3)), 10 * (kCopy + 2 * 5));
}

TEST_F(ExpandedSizeTest, BuffersThatBecomeRegistersAreNearlyFree) {
  const auto accumulate = [&](int64_t elements, int64_t times) {
    const ir::Buffer acc = ir::MakeBuffer("acc", {elements}, ir::kF32, ir::Scope::kLocal);
    const ir::Stmt add =
        ir::Store(acc, {i_}, ir::Load(acc, {i_}) + ir::Load(x_, {ir::Expr(i_) + j_}));
    return Size(ir::Allocate(acc, Loop(k_, times, Loop(i_, elements, add))));
  };
  EXPECT_EQ(accumulate(128, 10), 10 * 128 * (1 + 1 + 1 + 2));
  const int64_t n = 10 * 129 * 2;
  EXPECT_EQ(accumulate(129, 10), 10 * 129 * (2 + 1 + 2 + 2) + n * n / 32)
      << "too many: they stay in memory, where each access is compared with the others";
}

TEST_F(ExpandedSizeTest, OnlyAccessesThatNoLoopPartsAreCompared) {
  const ir::Buffer own = ir::MakeBuffer("own", {1000}, ir::kF32, ir::Scope::kLocal);
  const auto copies = [&](ir::ForKind outer) {
    const ir::Stmt copy = ir::Store(own, {ir::Expr(i_) + j_}, ir::Load(x_, {i_}));
    return Size(ir::Allocate(own, Loop(j_, 4, Loop(i_, 64, copy), outer)));
  };
  EXPECT_EQ(copies(ir::ForKind::kSerial), kLoop + 64 * kCopy + 64 * 64 / 32);
  EXPECT_EQ(copies(ir::ForKind::kUnrolled), 256 * kCopy + 256 * 256 / 32);
}

TEST_F(ExpandedSizeTest, TheCountStopsAtTheLargestNumber) {
  ir::Stmt nest = Copy(i_);
  for (int i = 0; i < 8; ++i) nest = Loop(ir::MakeVar("v"), 1000, nest);
  EXPECT_EQ(Size(nest), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace alt::lower
