// Simplified statements do what the original does, for random nests of loops, conditions and
// vectors.
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/ir/equality.h"
#include "common/ir/interpreter.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/ir/substitute.h"
#include "tests/common/ir/random_expr.h"
#include "tests/testing/fuzz_cases.h"
#include "tests/testing/status_matchers.h"

namespace alt::ir {
namespace {

using testing::FuzzCases;

constexpr int64_t kCells = 97;

// Random nests over the variables of a RandomExpr, from x to y, which all have in common.
class RandomNest {
 public:
  explicit RandomNest(uint64_t seed)
      : exprs_(seed, {.num_vars = 4, .max_extent = 4}), random_(seed + 1) {}

  Stmt Nest() {
    Stmt body = Body();
    for (const Var& var : exprs_.vars()) {
      const Interval range = exprs_.ranges().at(var.get());
      Expr min = range.min;
      Expr extent = range.max - range.min + 1;
      // Bounds may depend on loops further out.
      zeros_[var.get()] = 0;
      if (random_.Bernoulli(0.3)) min = Substitute(exprs_.Index(1), zeros_);
      if (random_.Bernoulli(0.3)) extent = Min(extent, Substitute(exprs_.Index(1), zeros_));
      body = For(var, std::move(min), std::move(extent), ForKind::kSerial, std::move(body));
      if (random_.Bernoulli(0.2)) body = Block({std::move(body), Outer(Leaf())});
    }
    return body;
  }

  const Buffer& x() const { return x_; }
  const Buffer& y() const { return y_; }

 private:
  // A statement that stands outside of all loops.
  Stmt Outer(const Stmt& s) {
    VarMap values;
    for (const Var& var : exprs_.vars()) values[var.get()] = 1;
    return Substitute(s, values);
  }

  Expr Cell() { return FloorMod(exprs_.Index(2), kCells); }

  Stmt Leaf() {
    Expr value = Cast(ScalarType::kF64, exprs_.Index(3)) * FloatImm(0.5, kF64);
    if (random_.Bernoulli(0.5)) {
      // The load may be out of bounds where it is not taken.
      const Expr index = exprs_.Index(2);
      const Expr inside = And(Expr(0) <= index, index < kCells);
      value = std::move(value) + Select(And(inside, exprs_.Condition(1)), Load(x_, {index}),
                                        FloatImm(random_.UniformInt(-1, 1), kF64));
    }
    const std::vector<Expr> cell = {Cell()};
    if (random_.Bernoulli(0.5)) value = Load(y_, cell) + std::move(value);
    if (random_.Bernoulli(0.1)) value = Load(y_, cell);
    return Store(y_, cell, std::move(value));
  }

  Stmt Body() {
    Stmt s = Leaf();
    if (random_.Bernoulli(0.5)) s = Block({std::move(s), Leaf()});
    if (random_.Bernoulli(0.5)) {
      s = If(exprs_.Condition(2), std::move(s), random_.Bernoulli(0.5) ? Leaf() : Stmt());
    }
    return s;
  }

  RandomExpr exprs_;
  base::Random random_;
  VarMap zeros_;
  const Buffer x_ = MakeBuffer("x", {kCells}, kF64);
  const Buffer y_ = MakeBuffer("y", {kCells}, kF64);
};

TEST(SimplifyStmtPropertyTest, NestsDoTheSame) {
  for (int seed = 1; seed <= FuzzCases(1500); ++seed) {
    RandomNest random(seed);
    const Stmt nest = random.Nest();
    const Stmt simplified = Simplify(nest);
    std::vector<double> results[2];
    for (int i = 0; i < 2; ++i) {
      Memory memory;
      for (int64_t c = 0; c < kCells; ++c) memory[random.x().get()].push_back(c * c % 31);
      memory[random.y().get()].resize(kCells);
      const Function f{"f", {random.x(), random.y()}, i == 0 ? nest : simplified};
      ALT_ASSERT_OK(Interpret(f, memory)) << "seed " << seed << "\n" << Print(f);
      results[i] = memory[random.y().get()];
    }
    ASSERT_EQ(results[0], results[1]) << "seed " << seed << "\n"
                                      << Print(nest) << "becomes\n"
                                      << Print(simplified);
    const Stmt again = Simplify(simplified);
    ASSERT_TRUE(StructurallyEqual(again, simplified)) << "seed " << seed << "\n"
                                                      << Print(simplified) << "becomes\n"
                                                      << Print(again);
  }
}

TEST(SimplifyStmtPropertyTest, VectorsOfIndicesKeepTheirLanes) {
  constexpr int kLanes = 4;
  for (int seed = 1; seed <= FuzzCases(3000); ++seed) {
    RandomExpr random(seed, {.num_vars = 3, .max_extent = 6});
    const Var lane_var = random.vars()[0];
    const Var outer = random.vars()[1];
    const bool is_bool = seed % 3 == 0;
    const Expr scalar = is_bool ? random.Condition(2) : random.Index(3);
    const Expr ramp =
        seed % 2 == 0 ? Ramp(Expr(outer) * kLanes, 1, kLanes) : Ramp(outer, 3, kLanes);
    Expr vector = Substitute(scalar, {{lane_var.get(), ramp}});
    if (vector->dtype.lanes == 1) vector = Broadcast(vector, kLanes);
    const Expr simplified = Simplify(vector, random.ranges());
    EXPECT_TRUE(StructurallyEqual(Simplify(simplified, random.ranges()), simplified))
        << "seed " << seed << ": " << Print(simplified);

    const Buffer cells[2] = {MakeBuffer("a", {kLanes}, is_bool ? kBool : kIndex),
                             MakeBuffer("b", {kLanes}, is_bool ? kBool : kIndex)};
    for (int point = 0; point < 12; ++point) {
      VarMap values;
      for (size_t i = 1; i < random.vars().size(); ++i) {
        const Var& var = random.vars()[i];
        const Interval range = random.ranges().at(var.get());
        const int64_t step = point * static_cast<int64_t>(i + 1);
        values[var.get()] = range.min + step % (range.max - range.min + 1);
      }
      Memory memory;
      for (const Buffer& buffer : cells) memory[buffer.get()].resize(kLanes);
      const Stmt both =
          Block({Store(cells[0], {Ramp(0, 1, kLanes)}, Substitute(vector, values)),
                 Store(cells[1], {Ramp(0, 1, kLanes)}, Substitute(simplified, values))});
      ALT_ASSERT_OK(Interpret(Function{"f", {cells[0], cells[1]}, both}, memory));
      ASSERT_EQ(memory[cells[0].get()], memory[cells[1].get()])
          << "seed " << seed << ": " << Print(vector) << "\n  becomes " << Print(simplified)
          << "\n  where " << Print(random.vars(), random.ranges());
    }
  }
}

}  // namespace
}  // namespace alt::ir
