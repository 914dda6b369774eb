#include "common/ir/stmt.h"

#include <gtest/gtest.h>

#include "common/ir/equality.h"
#include "common/ir/mutator.h"
#include "common/ir/printer.h"
#include "common/ir/substitute.h"
#include "common/ir/visitor.h"

namespace alt::ir {
namespace {

class StmtTest : public ::testing::Test {
 protected:
  const Var i = MakeVar("i");
  const Buffer b = MakeBuffer("b", {64});
  const Stmt store = Store(b, {i}, FloatImm(1));
};

TEST_F(StmtTest, BlocksAreFlatAndDropNops) {
  EXPECT_EQ(Block({})->kind, StmtKind::kNop);
  EXPECT_TRUE(Block({Nop(), store, Nop()}).same_as(store));
  const Stmt block = Block({store, Block({store, store}), Nop()});
  EXPECT_EQ(block->stmts.size(), 3u);
}

TEST_F(StmtTest, AnElseOfNothingIsAbsent) {
  EXPECT_EQ(If(Expr(i) < 3, store, Nop())->stmts.size(), 1u);
  EXPECT_EQ(If(Expr(i) < 3, store)->stmts.size(), 1u);
}

TEST_F(StmtTest, IndicesOfSkipsTheStoredValue) {
  ASSERT_EQ(IndicesOf(*store).size(), 1u);
  EXPECT_EQ(Print(IndicesOf(*store)[0]), "i");
  EXPECT_EQ(IndicesOf(*Prefetch(b, {i})).size(), 1u);
}

using StmtDeathTest = StmtTest;
TEST_F(StmtDeathTest, MakersCheckTypes) {
  EXPECT_DEATH(Store(b, {Ramp(i, 1, 4)}, FloatImm(1)), "store of f32 to b as f32x4");
  EXPECT_DEATH(Store(MakeTable("t", {1}, {1}), {0}, FloatImm(1)), "store to table t");
  EXPECT_DEATH(Allocate(b, store), "allocate b");
  EXPECT_DEATH(For(i, 0, 4, ForKind::kSerial, store, 8), "loop i");
}

TEST_F(StmtTest, EqualityLooksAtLoopKinds) {
  const Stmt serial = For(i, 0, 64, ForKind::kSerial, store);
  EXPECT_TRUE(StructurallyEqual(serial, For(i, 0, 64, ForKind::kSerial, store)));
  EXPECT_FALSE(StructurallyEqual(serial, For(i, 0, 64, ForKind::kParallel, store)));
}

TEST_F(StmtTest, MutatorsThatChangeNothingReturnTheSameNode) {
  const Stmt loop = For(i, 0, 64, ForKind::kSerial, If(Expr(i) < 3, store));
  Mutator mutator;
  EXPECT_TRUE(mutator.MutateStmt(loop).same_as(loop));
}

TEST_F(StmtTest, SubstitutionWidensStores) {
  EXPECT_EQ(Print(Substitute(store, {{i.get(), Ramp(0, 1, 8)}})),
            "b[ramp(0, 1, 8)] = broadcast(1.0, 8)\n");
}

TEST_F(StmtTest, VisitorsSeeStatementsAndExpressions) {
  const Stmt loop = For(i, 0, 64, ForKind::kSerial, Block({store, store}));
  int stores = 0;
  VisitStmt(loop, [&](const Stmt& s) {
    stores += s->kind == StmtKind::kStore;
    return true;
  });
  EXPECT_EQ(stores, 2);
  int floats = 0;
  VisitExprs(loop, [&](const Expr& e) {
    floats += e->kind == ExprKind::kFloatImm;
    return true;
  });
  EXPECT_EQ(floats, 2);
  EXPECT_TRUE(UsesVar(loop, i));
}

}  // namespace
}  // namespace alt::ir
