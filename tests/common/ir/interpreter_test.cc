#include "common/ir/interpreter.h"

#include <gtest/gtest.h>

#include "common/ir/printer.h"
#include "common/ir/verify.h"
#include "tests/testing/status_matchers.h"

namespace alt::ir {
namespace {

using alt::testing::IsOk;
using alt::testing::StatusIs;

class InterpreterTest : public ::testing::Test {
 protected:
  absl::Status Run(std::vector<Buffer> params, Stmt body) {
    return Interpret(Function{"f", std::move(params), std::move(body)}, memory_);
  }

  const Var i_ = MakeVar("i");
  const Var j_ = MakeVar("j");
  const Buffer x_ = MakeBuffer("x", {2, 4});
  const Buffer y_ = MakeBuffer("y", {2});
  Memory memory_{{x_.get(), {0, 1, 2, 3, 4, 5, 6, 7}}, {y_.get(), {-1, -1}}};
};

TEST_F(InterpreterTest, SumsTheRowsOfAMatrix) {
  const Stmt body = For(i_, 0, 2, ForKind::kParallel,
                        Block({Store(y_, {i_}, FloatImm(0)),
                               For(j_, 0, 4, ForKind::kUnrolled,
                                   Store(y_, {i_}, Load(y_, {i_}) + Load(x_, {i_, j_})))}));
  ALT_ASSERT_OK(Run({x_, y_}, body));
  EXPECT_EQ(memory_[y_.get()], (std::vector<double>{6, 22}));
}

TEST_F(InterpreterTest, VectorsReadAndWriteLanes) {
  const Buffer v = MakeBuffer("v", {1}, kF32.WithLanes(4), Scope::kRegister);
  const Stmt body = Allocate(
      v, Block({Store(v, {0}, Load(x_, {1, Ramp(3, -1, 4)}) * Broadcast(FloatImm(2), 4)),
                Store(x_, {0, Ramp(0, 1, 4)},
                      Select(Ramp(0, 1, 4) < Broadcast(2, 4), Load(v, {0}), Zero(v->dtype)))}));
  ALT_ASSERT_OK(Run({x_}, body));
  EXPECT_EQ(memory_[x_.get()], (std::vector<double>{14, 12, 0, 0, 4, 5, 6, 7}));
}

TEST_F(InterpreterTest, ATransposedBlockReadsALaneOfEachVector) {
  const Buffer in = MakeBuffer("in", {16}), out = MakeBuffer("out", {16});
  const Buffer rows = MakeBuffer("rows", {4}, kF32.WithLanes(4), Scope::kRegister);
  std::vector<Stmt> stmts;
  for (int i = 0; i < 4; ++i) stmts.push_back(Store(rows, {i}, Load(in, {Ramp(4 * i, 1, 4)})));
  for (int i = 0; i < 4; ++i) stmts.push_back(Store(out, {Ramp(4 * i, 1, 4)}, Transpose(rows, i)));
  const Function f{"f", {in, out}, Allocate(rows, Block(stmts))};
  Memory memory{{in.get(), std::vector<double>(16)}, {out.get(), std::vector<double>(16)}};
  for (int i = 0; i < 16; ++i) memory[in.get()][static_cast<size_t>(i)] = i;
  ALT_ASSERT_OK(Interpret(f, memory));
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(memory[out.get()][static_cast<size_t>(i)], i % 4 * 4 + i / 4) << i;
  }
  ALT_EXPECT_OK(Verify({{f}}));
  const Function unwritten{"f", {out}, Allocate(rows, stmts.back())};
  EXPECT_FALSE(Interpret(unwritten, memory).ok());
  EXPECT_FALSE(Verify({{Function{"f", {out}, stmts.back()}}}).ok()) << "rows are not allocated";
}

TEST_F(InterpreterTest, AVectorStoreReadsAllLanesBeforeItWrites) {
  ALT_ASSERT_OK(Run({x_}, Store(x_, {0, Ramp(1, 1, 3)}, Load(x_, {0, Ramp(0, 1, 3)}))));
  EXPECT_EQ(memory_[x_.get()], (std::vector<double>{0, 0, 1, 2, 4, 5, 6, 7}));
}

TEST_F(InterpreterTest, SelectIsLazyInEachLane) {
  const Expr index = Ramp(2, 1, 4);
  const Expr guarded =
      Select(index < Broadcast(4, 4), Load(x_, {0, index}), Broadcast(FloatImm(9), 4));
  ALT_ASSERT_OK(Run({x_}, Store(x_, {1, Ramp(0, 1, 4)}, guarded)));
  EXPECT_EQ(memory_[x_.get()], (std::vector<double>{0, 1, 2, 3, 2, 3, 9, 9}));
}

TEST_F(InterpreterTest, StoresToF32AreRounded) {
  const Buffer d = MakeBuffer("d", {1}, kF64);
  memory_[d.get()] = {0.1};
  ALT_ASSERT_OK(Run({d, y_}, Store(y_, {0}, Cast(ScalarType::kF32, Load(d, {0})))));
  EXPECT_EQ(memory_[y_.get()][0], double{0.1f});
}

TEST_F(InterpreterTest, TablesAreRead) {
  const Buffer t = MakeTable("t", {2}, {3, 5});
  ALT_ASSERT_OK(Run({y_}, For(i_, 0, 2, ForKind::kSerial, Store(y_, {i_}, Load(t, {i_})))));
  EXPECT_EQ(memory_[y_.get()], (std::vector<double>{3, 5}));
}

TEST_F(InterpreterTest, IndicesOutOfBoundsNameTheStatement) {
  const absl::Status status =
      Run({y_}, For(i_, 0, 3, ForKind::kSerial, Store(y_, {i_}, FloatImm(1))));
  EXPECT_TRUE(
      StatusIs(status, absl::StatusCode::kInternal, "index 0 of y is 2, extent 2, in y[i] = 1.0"));
}

TEST_F(InterpreterTest, ReadsOfWhatWasNeverWrittenAreErrors) {
  const Buffer t = MakeBuffer("t", {2}, kF32, Scope::kLocal);
  const Stmt body = Allocate(t, Block({Store(t, {0}, FloatImm(1)), Store(y_, {0}, Load(t, {1}))}));
  EXPECT_TRUE(StatusIs(Run({y_}, body), absl::StatusCode::kInternal, "read of cell 1 of t"));
  // Nor does an allocation keep what an earlier iteration wrote.
  const Stmt loop = For(i_, 0, 2, ForKind::kSerial,
                        Allocate(t, Block({If(Eq(i_, 0), Store(t, {1}, FloatImm(1))),
                                           Store(y_, {i_}, Load(t, {1}))})));
  EXPECT_TRUE(StatusIs(Run({y_}, loop), absl::StatusCode::kInternal, "never written"));
}

TEST_F(InterpreterTest, UndefinedVariablesAndBuffersAreErrors) {
  EXPECT_TRUE(StatusIs(Run({y_}, Store(y_, {i_}, FloatImm(1))), absl::StatusCode::kInternal,
                       "undefined variable i in y[i] = 1.0"));
  EXPECT_TRUE(StatusIs(Run({}, Store(y_, {0}, FloatImm(1))), absl::StatusCode::kInternal,
                       "y, which is not allocated"));
  const Stmt after = Block({For(i_, 0, 2, ForKind::kSerial, Store(y_, {i_}, FloatImm(1))),
                            Store(y_, {i_}, FloatImm(1))});
  EXPECT_TRUE(StatusIs(Run({y_}, after), absl::StatusCode::kInternal, "undefined variable i"));
}

TEST_F(InterpreterTest, MemoryMustFitTheParameters) {
  memory_[y_.get()].push_back(0);
  EXPECT_TRUE(StatusIs(Run({y_}, Nop()), absl::StatusCode::kInvalidArgument,
                       "memory of y must hold 2 numbers"));
}

TEST_F(InterpreterTest, LoopsOfNoIterationDoNothing) {
  const Stmt body = For(i_, 5, Expr(-3), ForKind::kSerial, Store(y_, {i_}, FloatImm(1)));
  ALT_ASSERT_OK(Run({y_}, body));
  EXPECT_EQ(memory_[y_.get()], (std::vector<double>{-1, -1}));
}

TEST_F(InterpreterTest, BranchesAreTakenByTheirCondition) {
  const Stmt body =
      For(i_, 0, 2, ForKind::kSerial,
          If(Eq(i_, 1), Store(y_, {i_}, FloatImm(10)), Store(y_, {i_}, FloatImm(20))));
  ALT_ASSERT_OK(Run({y_}, body));
  EXPECT_EQ(memory_[y_.get()], (std::vector<double>{20, 10}));
}

TEST_F(InterpreterTest, PrefetchesReadNothing) {
  ALT_ASSERT_OK(Run({y_}, Prefetch(y_, {Expr(1000)})));
}

TEST_F(InterpreterTest, FloatOperators) {
  const Buffer d = MakeBuffer("d", {8}, kF64);
  memory_[d.get()].resize(8);
  const Expr a = FloatImm(3, kF64), b = Cast(ScalarType::kF64, Load(x_, {0, 2}));  // 2
  const std::vector<Expr> values = {a + b,
                                    a - b,
                                    a * b,
                                    a / b,
                                    Min(a, b),
                                    Max(a, b),
                                    Select(b < a, a, b),
                                    Select(Eq(a, b), a, b)};
  std::vector<Stmt> stores;
  for (size_t i = 0; i < values.size(); ++i) {
    stores.push_back(Store(d, {static_cast<int>(i)}, values[i]));
  }
  ALT_ASSERT_OK(Run({x_, d}, Block(std::move(stores))));
  EXPECT_EQ(memory_[d.get()], (std::vector<double>{5, 1, 6, 1.5, 2, 3, 3, 2}));
}

TEST_F(InterpreterTest, BuffersMayHoldIndicesAndBools) {
  const Buffer order = MakeBuffer("order", {2}, kIndex), flag = MakeBuffer("flag", {2}, kBool);
  memory_[order.get()] = {1, 0};
  memory_[flag.get()] = {0, 1};
  const Stmt body = For(i_, 0, 2, ForKind::kSerial,
                        If(Load(flag, {i_}), Store(y_, {Load(order, {i_})}, FloatImm(5))));
  ALT_ASSERT_OK(Run({y_, order, flag}, body));
  EXPECT_EQ(memory_[y_.get()], (std::vector<double>{5, -1}));
}

TEST_F(InterpreterTest, ParametersMayHoldVectors) {
  const Buffer v = MakeBuffer("v", {2}, kF32.WithLanes(4));
  memory_[v.get()] = {1, 2, 3, 4, 5, 6, 7, 8};
  ALT_ASSERT_OK(Run({v}, Store(v, {0}, Load(v, {0}) + Load(v, {1}))));
  EXPECT_EQ(memory_[v.get()], (std::vector<double>{6, 8, 10, 12, 5, 6, 7, 8}));
}

TEST_F(InterpreterTest, DivisorsMustBePositive) {
  const Stmt body =
      For(i_, 0, 2, ForKind::kSerial, Store(y_, {FloorDiv(1, Expr(i_))}, FloatImm(1)));
  EXPECT_TRUE(StatusIs(Run({y_}, body), absl::StatusCode::kInternal, "division by 0 in y["));
}

TEST_F(InterpreterTest, EvaluatesIndexExpressions) {
  const Expr e = FloorMod(Expr(i_) - 7, 4) + Select(Expr(i_) < 3, FloorDiv(i_, 2), Max(i_, j_));
  EXPECT_EQ(EvaluateIndex(e, {{i_.get(), 2}, {j_.get(), 9}}), 3 + 1);
  EXPECT_EQ(EvaluateIndex(e, {{i_.get(), 5}, {j_.get(), 9}}), 2 + 9);
}

}  // namespace
}  // namespace alt::ir
