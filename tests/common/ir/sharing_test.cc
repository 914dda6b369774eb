// Nodes are shared: references are counted, also between threads, and what is derived at
// construction (hashes, filters of variables) is right.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "common/ir/equality.h"
#include "common/ir/interpreter.h"
#include "common/ir/mutator.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/ir/substitute.h"
#include "common/ir/visitor.h"
#include "tests/common/ir/random_expr.h"

namespace alt::ir {
namespace {

TEST(SharingTest, CopiesOutliveTheirOrigin) {
  Expr copy;
  EXPECT_FALSE(copy.defined());
  {
    const Expr e = FloorDiv(Expr(MakeVar("x")) + 1, 4);
    copy = e;
    Expr moved = copy;
    copy = std::move(moved);
    EXPECT_FALSE(moved.defined());  // NOLINT: what a move leaves behind
    EXPECT_TRUE(copy.same_as(e));
  }
  EXPECT_EQ(Print(copy), "floordiv(x + 1, 4)");
  copy = copy->args[0];  // a part of what it drops
  EXPECT_EQ(Print(copy), "x + 1");
  const Expr& itself = copy;
  copy = itself;
  EXPECT_EQ(Print(copy), "x + 1");
}

TEST(SharingTest, LongChainsAreFreed) {
  Expr e = MakeVar("x");
  for (int i = 0; i < 10000; ++i) e = e + 1;
  EXPECT_EQ(ToLinear(e).constant, 10000);
}

TEST(SharingTest, ThreadsShareExpressions) {
  const Var x = MakeVar("x"), y = MakeVar("y");
  const Buffer b = MakeBuffer("b", {64, 64});
  const Expr index = FloorDiv(Expr(x) * 8 + y, 8) + FloorMod(Expr(y) * 3, 7);
  const Stmt loop = For(x, 0, 8, ForKind::kSerial,
                        For(y, 0, 8, ForKind::kSerial, Store(b, {index, y}, Load(b, {x, index}))));
  const std::string expected = Print(Simplify(loop));
  std::vector<std::thread> threads;
  std::vector<std::string> results(4);
  for (std::string& result : results) {
    threads.emplace_back([&result, &loop, x] {
      for (int i = 0; i < 50; ++i) {
        Stmt copy = Substitute(loop, {{x.get(), Expr(i)}});
        copy = Simplify(loop);
        result = Print(copy);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) EXPECT_EQ(result, expected);
}

// Against the plain definitions, for random expressions.
TEST(SharingTest, FiltersNeverMissAVariable) {
  for (int seed = 0; seed < 300; ++seed) {
    RandomExpr random(seed, {.num_vars = 5});
    const Expr e = random.Index(4);
    for (const Var& var : random.vars()) {
      bool found = false;
      VisitExpr(e, [&](const Expr& node) {
        found |= node->kind == ExprKind::kVar && node->var == var;
        return true;
      });
      EXPECT_EQ(UsesVar(e, var), found);
      const Expr substituted = Substitute(e, {{var.get(), Expr(3)}});
      EXPECT_FALSE(UsesVar(substituted, var));
      if (!found) {
        EXPECT_TRUE(substituted.same_as(e));
      }
    }
  }
}

TEST(SharingTest, EqualExpressionsHaveEqualHashes) {
  // Rebuilt node by node.
  class Copier : public Mutator {
   public:
    Expr MutateExpr(const Expr& e) override {
      absl::InlinedVector<Expr, 2> args;
      for (const Expr& arg : e->args) args.push_back(MutateExpr(arg));
      if (e->kind == ExprKind::kIntImm && e->dtype == kIndex) return e->int_value;
      return e->kind == ExprKind::kVar ? Expr(e->var) : WithArgs(e, std::move(args));
    }
  };
  for (int seed = 0; seed < 300; ++seed) {
    RandomExpr random(seed, {});
    const Expr e = random.Index(4);
    const Expr copy = Copier().MutateExpr(e);
    EXPECT_TRUE(StructurallyEqual(e, copy)) << Print(e);
    EXPECT_EQ(StructuralHash(e), StructuralHash(copy)) << Print(e);
  }
}

TEST(SharingTest, SubstitutionIsEvaluation) {
  for (int seed = 0; seed < 300; ++seed) {
    RandomExpr random(seed, {.num_vars = 3});
    const Expr e = random.Index(4);
    absl::flat_hash_map<const VarNode*, int64_t> values;
    VarMap constants;
    for (const Var& var : random.vars()) {
      values[var.get()] = random.ranges().at(var.get()).max;
      constants[var.get()] = random.ranges().at(var.get()).max;
    }
    int64_t value;
    ASSERT_TRUE(IsInt(Substitute(e, constants), &value)) << Print(e);
    EXPECT_EQ(value, EvaluateIndex(e, values)) << Print(e);
  }
}

}  // namespace
}  // namespace alt::ir
