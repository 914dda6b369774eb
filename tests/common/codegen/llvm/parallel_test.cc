#include <gtest/gtest.h>

#include "common/runtime/cpu/cpu_list.h"
#include "common/runtime/cpu/pinned_pool.h"
#include "tests/common/codegen/kernels.h"
#include "tests/common/codegen/llvm/serial_pool.h"
#include "tests/common/codegen/loaded_kernel.h"
#include "tests/common/codegen/run_both.h"

namespace alt::testing {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::FloatImm;
using ir::ForKind;
using ir::Load;
using ir::Scope;
using ir::Stmt;
using ir::Store;
using ir::Var;

constexpr int64_t kBig = 5000;  // floats, more than a stack holds

class ParallelTest : public ::testing::Test {
 protected:
  ir::Module Kernel(Stmt body) { return {{{"f", {x_, y_}, std::move(body)}}}; }
  static Stmt Loop(const Var& v, Expr min, Expr extent, ForKind kind, Stmt body) {
    return ir::For(v, std::move(min), std::move(extent), kind, std::move(body));
  }

  SerialPool pool_{3};
  const Buffer x_ = ir::MakeBuffer("x", {kBig});
  const Buffer y_ = ir::MakeBuffer("y", {64, 64});
  const Var p_ = ir::MakeVar("p"), v_ = ir::MakeVar("v"), q_ = ir::MakeVar("q");
};

TEST_F(ParallelTest, EveryThreadHasItsSliceOfTheWorkspace) {
  Buffer t = ir::MakeBuffer("t", {kBig}, ir::kF32, Scope::kLocal);
  Stmt body = ir::Allocate(
      t, ir::Block({Loop(v_, 0, kBig, ForKind::kSerial, Store(t, {v_}, Load(x_, {v_}))),
                    Store(y_, {p_, 0}, Load(t, {Expr(p_) * 7}))}));
  EXPECT_TRUE(RunsAsInterpreted(Kernel(Loop(p_, 0, 20, ForKind::kParallel, body)), HostCpu(3),
                                pool_.get()));
}

TEST_F(ParallelTest, BodySeesWhatIsAround) {
  // A temporary and a variable of the loops around, and a bound that is not a constant.
  Buffer t = ir::MakeBuffer("t", {kBig}, ir::kF32, Scope::kLocal);
  Buffer u = ir::MakeBuffer("u", {16}, ir::kF32, Scope::kLocal);
  Buffer w = ir::MakeBuffer("w", {kBig}, ir::kF32, Scope::kLocal);
  Stmt body = ir::Allocate(
      w, ir::Block({Store(w, {Expr(p_) + 3}, Load(t, {Expr(p_) + q_ + 3})),
                    Store(y_, {Expr(p_) + 3, q_}, Load(w, {Expr(p_) + 3}) + Load(u, {q_}))}));
  Stmt fill = ir::Block({Loop(v_, 0, kBig, ForKind::kSerial, Store(t, {v_}, Load(x_, {v_}))),
                         Loop(v_, 0, 16, ForKind::kSerial, Store(u, {v_}, Load(x_, {v_})))});
  Stmt parallel = Loop(p_, Expr(q_) - 3, Expr(10) - q_, ForKind::kParallel, body);
  Stmt all = ir::Allocate(
      t, ir::Allocate(u, ir::Block({fill, Loop(q_, 0, 12, ForKind::kSerial, parallel)})));
  EXPECT_TRUE(RunsAsInterpreted(Kernel(all), HostCpu(3), pool_.get()));
  EXPECT_TRUE(RunsAsInterpreted(Kernel(all), HostCpu(3), nullptr));
  SerialPool one(1);
  EXPECT_TRUE(RunsAsInterpreted(Kernel(all), HostCpu(3), one.get()));
}

TEST_F(ParallelTest, InnerParallelLoopIsSerial) {
  Stmt inner = Loop(v_, 0, 8, ForKind::kParallel, Store(y_, {p_, v_}, Load(x_, {v_})));
  EXPECT_TRUE(RunsAsInterpreted(Kernel(Loop(p_, 0, 20, ForKind::kParallel, inner)), HostCpu(3),
                                pool_.get()));
}

TEST_F(ParallelTest, TwoLoopsInOneKernel) {
  Stmt first = Loop(p_, 0, 20, ForKind::kParallel, Store(y_, {p_, 0}, Load(x_, {p_})));
  Stmt second =
      Loop(p_, 0, 20, ForKind::kParallel, Store(y_, {p_, 1}, Load(y_, {19 - Expr(p_), 0})));
  EXPECT_TRUE(RunsAsInterpreted(Kernel(ir::Block({first, second})), HostCpu(3), pool_.get()));
}

TEST_F(ParallelTest, RealThreadsComputeAConvolution) {
  runtime::PinnedPool threads(runtime::ChooseCpus(runtime::AllowedCpus(), 2), {.spins = 0});
  const ir::Module module = DirectConv({.channels = 8, .size = 8},
                                       {.rows = 4, .vectors = 1, .lanes = 8}, ForKind::kParallel);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(RunsAsInterpreted(module, HostCpu(2), threads.get(), static_cast<uint64_t>(i)));
  }
}

}  // namespace
}  // namespace alt::testing
