#include "common/codegen/llvm/storage_plan.h"

#include <gtest/gtest.h>

namespace alt::codegen {
namespace {

using ir::Allocate;
using ir::Block;
using ir::Buffer;
using ir::Scope;
using ir::Stmt;

constexpr int64_t kBig = 100'000;  // bytes, far beyond what the stack may take

Buffer Local(int64_t bytes) {
  return ir::MakeBuffer("b", {(bytes + 3) / 4}, ir::kF32, Scope::kLocal);
}
Stmt Use(const Buffer& b) { return ir::Store(b, {0}, ir::FloatImm(1)); }
Stmt With(const Buffer& b, Stmt rest = ir::Nop()) { return Allocate(b, Block({Use(b), rest})); }
ir::Function Kernel(Stmt body) { return {"f", {}, std::move(body)}; }
Stmt Parallel(Stmt body) {
  return ir::For(ir::MakeVar("p"), 0, 8, ir::ForKind::kParallel, std::move(body));
}

TEST(StoragePlanTest, SmallBuffersAreOnTheStackUntilItsBudgetIsSpent) {
  Buffer a = Local(10'000), b = Local(10'000), c = Local(4'000);
  const StoragePlan plan = PlanStorage(Kernel(With(a, With(b, With(c)))), false);
  EXPECT_TRUE(plan.places.at(a.get()).on_stack);
  EXPECT_FALSE(plan.places.at(b.get()).on_stack);
  EXPECT_TRUE(plan.places.at(c.get()).on_stack);
  EXPECT_EQ(plan.workspace_bytes, 10'048);  // rounded up to 64
}

TEST(StoragePlanTest, NestedBuffersAreStacked) {
  Buffer a = Local(kBig), b = Local(kBig);
  const StoragePlan plan = PlanStorage(Kernel(With(a, With(b))), false);
  EXPECT_EQ(plan.places.at(a.get()).offset, 0);
  EXPECT_EQ(plan.places.at(b.get()).offset, plan.places.at(a.get()).size_bytes);
  EXPECT_TRUE(plan.Disjoint(a.get(), b.get()));
}

TEST(StoragePlanTest, NeighboursShare) {
  Buffer a = Local(kBig), b = Local(2 * kBig);
  const StoragePlan plan = PlanStorage(Kernel(Block({With(a), With(b)})), false);
  EXPECT_EQ(plan.places.at(a.get()).offset, plan.places.at(b.get()).offset);
  EXPECT_FALSE(plan.Disjoint(a.get(), b.get()));
  EXPECT_EQ(plan.workspace_bytes, plan.places.at(b.get()).size_bytes);
}

TEST(StoragePlanTest, ParallelBodyHasAStackOfItsOwnAndKeepsOffWhatIsLiveAround) {
  Buffer a = Local(16 << 10), b = Local(kBig), c = Local(16 << 10), d = Local(kBig);
  const Stmt body = With(a, With(b, Parallel(With(c, With(d)))));
  const StoragePlan outlined = PlanStorage(Kernel(body), true);
  EXPECT_TRUE(outlined.places.at(c.get()).on_stack);
  EXPECT_TRUE(outlined.Disjoint(b.get(), d.get()));
  const StoragePlan serial = PlanStorage(Kernel(body), false);
  EXPECT_FALSE(serial.places.at(c.get()).on_stack);
}

TEST(StoragePlanTest, BufferAllocatedTwiceHasOnePlaceAboveAllAround) {
  Buffer a = Local(kBig), b = Local(kBig), inner = Local(kBig);
  const StoragePlan plan =
      PlanStorage(Kernel(Block({With(a, With(inner)), With(b, With(a, With(inner)))})), false);
  EXPECT_TRUE(plan.Disjoint(a.get(), b.get()));
  EXPECT_TRUE(plan.Disjoint(a.get(), inner.get()));
  EXPECT_TRUE(plan.Disjoint(b.get(), inner.get()));
  EXPECT_EQ(plan.workspace_bytes, 3 * plan.places.at(a.get()).size_bytes);
}

TEST(StoragePlanTest, RegistersNeedNoPlace) {
  Buffer r = ir::MakeBuffer("r", {4}, ir::kF32, Scope::kRegister);
  const StoragePlan plan = PlanStorage(Kernel(With(r)), false);
  EXPECT_TRUE(plan.places.empty());
  EXPECT_EQ(plan.workspace_bytes, 0);
}

}  // namespace
}  // namespace alt::codegen
