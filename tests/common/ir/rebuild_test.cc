// WithArgs and WithParts make every kind of node again, and mutators go everywhere.
#include <gtest/gtest.h>

#include "common/ir/equality.h"
#include "common/ir/mutator.h"
#include "common/ir/printer.h"
#include "common/ir/stmt.h"
#include "common/ir/visitor.h"

namespace alt::ir {
namespace {

class RebuildTest : public ::testing::Test {
 protected:
  // One of each kind that has operands, over x, y and loads.
  std::vector<Expr> AllKinds() const {
    const Expr f = Load(b_, {x}), g = Load(b_, {y});
    return {x + y,
            f - g,
            x * y,
            f / g,
            FloorDiv(x, y),
            FloorMod(x, y),
            Min(x, y),
            Max(f, g),
            x < y,
            f <= g,
            Eq(x, y),
            And(x < 3, y < 4),
            Or(x < 3, y < 4),
            Not(x < y),
            Select(x < y, f, g),
            Load(b_, {x + y}),
            Ramp(x, y, 4),
            Broadcast(f, 8),
            Cast(ScalarType::kF64, f)};
  }

  const Var x_ = MakeVar("x"), y_ = MakeVar("y"), z_ = MakeVar("z");
  const Expr x = x_, y = y_;
  const Buffer b_ = MakeBuffer("b", {64}), c_ = MakeBuffer("c", {64});
};

TEST_F(RebuildTest, WithArgsMakesEveryKindAgain) {
  for (const Expr& e : AllKinds()) {
    const Expr again = WithArgs(e, e->args);
    EXPECT_FALSE(again.same_as(e)) << Print(e);
    EXPECT_TRUE(StructurallyEqual(again, e)) << Print(e) << " " << Print(again);
  }
}

TEST_F(RebuildTest, WithArgsFolds) {
  EXPECT_TRUE(IsIntValue(WithArgs(x + y, {Expr(2), Expr(3)}), 5));
  EXPECT_TRUE(IsIntValue(WithArgs(Max(x, y), {Expr(2), Expr(3)}), 3));
  EXPECT_TRUE(IsIntValue(WithArgs(x < y, {Expr(2), Expr(3)}), 1));
}

// Renames x to z, everywhere.
class Renamer : public Mutator {
 public:
  Renamer(const Var& from, const Var& to) : from_(from), to_(to) {}
  Expr MutateExpr(const Expr& e) override {
    if (e->kind == ExprKind::kVar) return e->var == from_ ? Expr(to_) : e;
    return Mutator::MutateExpr(e);
  }

 private:
  const Var from_, to_;
};

TEST_F(RebuildTest, MutatorsReachEveryOperand) {
  for (const Expr& e : AllKinds()) {
    const Expr renamed = Renamer(x_, z_).MutateExpr(e);
    EXPECT_EQ(renamed->kind, e->kind);
    EXPECT_FALSE(UsesVar(renamed, x_)) << Print(renamed);
    EXPECT_EQ(UsesVar(renamed, z_), UsesVar(e, x_)) << Print(renamed);
    EXPECT_EQ(UsesVar(renamed, y_), UsesVar(e, y_)) << Print(renamed);
  }
}

TEST_F(RebuildTest, MutatorsReachEveryStatement) {
  const Buffer t = MakeBuffer("t", {4}, kF32, Scope::kLocal);
  const Var i = MakeVar("i"), j = MakeVar("j");
  const Stmt s =
      Allocate(t, Block({For(i, x, y, ForKind::kParallel, Store(t, {i}, Load(b_, {x}))),
                         If(x < 3, Store(t, {x}, FloatImm(0)), Prefetch(b_, {x})),
                         For(j, 0, x, ForKind::kVectorized, Store(c_, {j}, Load(t, {x})), 8)}));
  const Stmt renamed = Renamer(x_, z_).MutateStmt(s);
  EXPECT_FALSE(UsesVar(renamed, x_));
  EXPECT_EQ(Print(renamed), R"(allocate t: f32[4] local {
  for i in [z, z + y) parallel {
    t[i] = b[z]
  }
  if z < 3 {
    t[z] = 0.0
  } else {
    prefetch b[z]
  }
  for j in [0, z) vectorized(8) {
    c[j] = t[z]
  }
}
)");
  EXPECT_FALSE(StructurallyEqual(renamed, s));
  EXPECT_TRUE(StructurallyEqual(Renamer(z_, x_).MutateStmt(renamed), s));
}

TEST_F(RebuildTest, UnchangedPartsAreShared) {
  const Stmt left = Store(b_, {y}, FloatImm(1)), right = Store(b_, {x}, FloatImm(1));
  const Stmt renamed = Renamer(x_, z_).MutateStmt(Block({left, right}));
  EXPECT_TRUE(renamed->stmts[0].same_as(left));
  EXPECT_FALSE(renamed->stmts[1].same_as(right));
  EXPECT_TRUE(renamed->stmts[1]->value().same_as(right->value()));
}

TEST_F(RebuildTest, BlocksShrinkWhenStatementsVanish) {
  class Dropper : public Mutator {
   public:
    Stmt MutateStmt(const Stmt& s) override {
      return s->kind == StmtKind::kPrefetch ? Nop() : Mutator::MutateStmt(s);
    }
  };
  const Stmt store = Store(b_, {x}, FloatImm(1));
  EXPECT_TRUE(Dropper().MutateStmt(Block({Prefetch(b_, {x}), store})).same_as(store));
  EXPECT_EQ(Dropper().MutateStmt(Block({Prefetch(b_, {x}), Prefetch(b_, {y})}))->kind,
            StmtKind::kNop);
}

}  // namespace
}  // namespace alt::ir
