#include "common/ir/verify.h"

#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace alt::ir {
namespace {

using alt::testing::IsOk;
using alt::testing::StatusIs;

class VerifyTest : public ::testing::Test {
 protected:
  absl::Status Check(Stmt body) { return Verify(Module{{Function{"f", {x_, y_}, body}}}); }
  Stmt Loop(const Var& var, int64_t extent, Stmt body) {
    return For(var, 0, extent, ForKind::kSerial, std::move(body));
  }

  const Var i_ = MakeVar("i");
  const Var j_ = MakeVar("j");
  const Buffer x_ = MakeBuffer("x", {54});
  const Buffer y_ = MakeBuffer("y", {14, 4});
  const Expr i = i_, j = j_;
};

TEST_F(VerifyTest, AcceptsAGuardedTail) {
  const Stmt store = Store(y_, {i, j}, Load(x_, {4 * i + j}));
  ALT_EXPECT_OK(Check(Loop(i_, 14, Loop(j_, 4, If(4 * i + j < 54, store)))));
  const Expr guarded = Select(4 * i + j < 54, Load(x_, {4 * i + j}), FloatImm(0));
  ALT_EXPECT_OK(Check(Loop(i_, 14, Loop(j_, 4, Store(y_, {i, j}, guarded)))));
}

TEST_F(VerifyTest, RefusesAnUnguardedTail) {
  const Stmt store = Store(y_, {i, j}, Load(x_, {4 * i + j}));
  EXPECT_TRUE(StatusIs(Check(Loop(i_, 14, Loop(j_, 4, store))), absl::StatusCode::kInternal,
                       "function f: index 0 of x, 4*i + j, is 55 at i = 13, j = 3, extent 54, in"));
}

TEST_F(VerifyTest, LoopsThatShrinkAtTheEndAreNoError) {
  const Stmt store = Store(x_, {j}, FloatImm(0));
  ALT_EXPECT_OK(Check(Loop(i_, 14, For(j_, 4 * i, Min(4, 54 - 4 * i), ForKind::kSerial, store))));
}

TEST_F(VerifyTest, BoundsThatNameAVariableLimitItToo) {
  // The inner loop runs for i < 4 only.
  const Stmt store = Store(y_, {10 + i, j}, FloatImm(0));
  ALT_EXPECT_OK(Check(Loop(i_, 14, For(j_, 0, Min(4, 4 - i), ForKind::kSerial, store))));
}

TEST_F(VerifyTest, GuardsOfLanesAreLeftToThem) {
  const Expr lane = Ramp(4 * i, 1, 4);
  const Expr guarded = Select(lane < Broadcast(54, 4), Load(x_, {lane}), Zero(kF32.WithLanes(4)));
  ALT_EXPECT_OK(Check(Loop(i_, 14, Store(y_, {i, Ramp(0, 1, 4)}, guarded))));
  EXPECT_TRUE(StatusIs(Check(Loop(i_, 14, Store(y_, {i, Ramp(0, 1, 4)}, Load(x_, {lane})))),
                       absl::StatusCode::kInternal, "is 55 at i = 13, lane = 3, extent 54"));
}

TEST_F(VerifyTest, BothSidesOfAGuardCount) {
  const Expr row = i + j - 1;
  const Stmt store = Store(x_, {row}, FloatImm(0));
  ALT_EXPECT_OK(Check(Loop(i_, 54, Loop(j_, 3, If(And(Expr(0) <= row, row < 54), store)))));
  EXPECT_TRUE(StatusIs(Check(Loop(i_, 54, Loop(j_, 3, store))), absl::StatusCode::kInternal,
                       "is 54 at i = 53, j = 2, extent 54"));
}

TEST_F(VerifyTest, ErrorsNameTheFunction) {
  const Stmt good = Nop(), bad = Store(x_, {i}, FloatImm(0));
  EXPECT_TRUE(StatusIs(Verify(Module{{Function{"f", {x_}, good}, Function{"g", {x_}, bad}}}),
                       absl::StatusCode::kInternal, "function g: variable i"));
  EXPECT_TRUE(StatusIs(Verify(Module{{Function{"f", {x_, x_}, good}}}), absl::StatusCode::kInternal,
                       "parameter x stands twice"));
  EXPECT_TRUE(StatusIs(Verify(Module{{Function{"f", {}, Stmt()}}}), absl::StatusCode::kInternal,
                       "there is no body"));
}

TEST_F(VerifyTest, RefusesWhatIsCertainlyOutside) {
  const Stmt store = Store(x_, {i + 54}, FloatImm(0));
  EXPECT_TRUE(StatusIs(Check(Loop(i_, 3, If(Eq(FloorMod(i, 2), 0), store))),
                       absl::StatusCode::kInternal, "is 54 at i = 0, extent 54"));
}

TEST_F(VerifyTest, DoubtIsNoError) {
  // The condition means i < 100, which ranges do not show.
  const Stmt store = Store(x_, {FloorDiv(i, 2)}, FloatImm(0));
  ALT_EXPECT_OK(Check(Loop(i_, 110, If(Or(i < 100, FloorMod(i, 2) < 0), store))));
}

TEST_F(VerifyTest, LanesOfTwoRampsMoveTogether) {
  // 13*lane - 12*lane, in a form that ranges alone do not see through.
  const Expr lane = Ramp(0, 1, 4);
  const Expr index = Broadcast(13, 4) * lane - Broadcast(12, 4) * FloorMod(lane, Broadcast(7, 4));
  ALT_EXPECT_OK(Check(Store(y_, {0, index}, Zero(kF32.WithLanes(4)))));
  EXPECT_TRUE(StatusIs(Check(Store(y_, {0, index + Broadcast(1, 4)}, Zero(kF32.WithLanes(4)))),
                       absl::StatusCode::kInternal, "is 4 at lane = 3, extent 4"));
}

TEST_F(VerifyTest, AGuardThatNeverHoldsNeedNotBeUnderstood) {
  const Stmt store = Store(x_, {i + 60}, FloatImm(0));
  ALT_EXPECT_OK(Check(Loop(i_, 9, If(Eq(FloorMod(4 * i, 2), 1), store))));
  ALT_EXPECT_OK(Check(Loop(i_, 9, If(3 * FloorMod(i, 2) + FloorMod(i, 4) < 0, store))));
  EXPECT_FALSE(Check(Loop(i_, 9, If(Eq(FloorMod(3 * i, 8), 7), store))).ok());
}

TEST_F(VerifyTest, DeadCodeMayBeWrong) {
  ALT_EXPECT_OK(Check(Loop(i_, 0, Store(x_, {i + 100}, FloatImm(0)))));
  ALT_EXPECT_OK(Check(Loop(i_, 4, If(Expr(9) < i, Store(x_, {i + 100}, FloatImm(0))))));
}

TEST_F(VerifyTest, PrefetchesMayLeaveTheirBuffer) {
  ALT_EXPECT_OK(Check(Loop(i_, 54, Prefetch(x_, {i + 16}))));
}

TEST_F(VerifyTest, VariablesAreDefinedByLoopsAroundThem) {
  EXPECT_TRUE(StatusIs(Check(Store(x_, {i}, FloatImm(0))), absl::StatusCode::kInternal,
                       "variable i is not defined"));
  EXPECT_TRUE(StatusIs(Check(Loop(i_, 4, Loop(i_, 4, Store(x_, {i}, FloatImm(0))))),
                       absl::StatusCode::kInternal, "inside a loop over the same variable"));
  const Stmt loop = Loop(i_, 4, Store(x_, {i}, FloatImm(0)));
  ALT_EXPECT_OK(Check(Block({loop, loop})));
}

TEST_F(VerifyTest, BuffersAreParametersTablesOrAllocated) {
  const Buffer t = MakeBuffer("t", {4}, kF32, Scope::kLocal);
  const Buffer table = MakeTable("g", {1}, {1});
  const Stmt store = Store(t, {0}, Load(table, {0}));
  ALT_EXPECT_OK(Check(Allocate(t, store)));
  EXPECT_TRUE(StatusIs(Check(store), absl::StatusCode::kInternal,
                       "buffer t is neither a parameter nor allocated here in\nt[0] = g[0]"));
  EXPECT_TRUE(StatusIs(Check(Allocate(t, Allocate(t, store))), absl::StatusCode::kInternal,
                       "inside its own allocation"));
}

}  // namespace
}  // namespace alt::ir
