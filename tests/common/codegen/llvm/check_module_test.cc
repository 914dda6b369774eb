#include "common/codegen/llvm/check_module.h"

#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace alt::codegen {
namespace {

using absl::StatusCode;
using ir::Buffer;
using ir::Expr;
using ir::ForKind;
using ir::Scope;
using ir::Stmt;
using testing::IsOk;
using testing::StatusIs;

const Buffer& Out() {
  static const auto* out = new Buffer(ir::MakeBuffer("y", {256}));
  return *out;
}
ir::Module Kernel(Stmt body, std::string name = "f") {
  return {{{std::move(name), {Out()}, std::move(body)}}};
}
Stmt One(Expr index) { return ir::Store(Out(), {std::move(index)}, ir::FloatImm(1)); }
Stmt Loop(ForKind kind, const ir::Var& v, Stmt body) { return ir::For(v, 0, 4, kind, body); }

TEST(CheckModuleTest, SerialAndParallelLoopsAreFine) {
  ir::Var v = ir::MakeVar("v");
  ALT_EXPECT_OK(CheckModule(Kernel(Loop(ForKind::kSerial, v, One(v)))));
  ALT_EXPECT_OK(CheckModule(Kernel(Loop(ForKind::kParallel, v, One(v)))));
}

TEST(CheckModuleTest, LoopsOfOtherKindsAreNamed) {
  ir::Var v = ir::MakeVar("v");
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(Loop(ForKind::kVectorized, v, One(v)))),
                       StatusCode::kInvalidArgument, "compile f: loop v is still vectorized"));
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(Loop(ForKind::kUnrolled, v, One(v)))),
                       StatusCode::kInvalidArgument, "loop v is still unrolled"));
}

TEST(CheckModuleTest, NamesAreCNamesAndDistinct) {
  EXPECT_TRUE(StatusIs(CheckModule({}), StatusCode::kInvalidArgument, "no function"));
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(One(0), "a-b")), StatusCode::kInvalidArgument, "a-b"));
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(One(0), "1a")), StatusCode::kInvalidArgument, "1a"));
  ir::Module two = Kernel(One(0));
  two.functions.push_back(two.functions[0]);
  EXPECT_TRUE(StatusIs(CheckModule(two), StatusCode::kInvalidArgument, "two of it"));
  two.functions[1].name = "g";
  ALT_EXPECT_OK(CheckModule(two));
}

TEST(CheckModuleTest, RegistersNeedConstantIndices) {
  ir::Var v = ir::MakeVar("v");
  Buffer r = ir::MakeBuffer("r", {4}, ir::kF32, Scope::kRegister);
  const Stmt store = ir::Store(r, {v}, ir::FloatImm(0));
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(ir::Allocate(r, Loop(ForKind::kSerial, v, store)))),
                       StatusCode::kInvalidArgument, "register r has an index"));
  const Stmt load = ir::Store(Out(), {0}, ir::Load(r, {v}));
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(ir::Allocate(r, Loop(ForKind::kSerial, v, load)))),
                       StatusCode::kInvalidArgument, "register r has an index"));
  const Stmt ramp = ir::Store(r, {ir::Ramp(0, 1, 4)}, ir::Zero(ir::kF32.WithLanes(4)));
  ALT_EXPECT_OK(CheckModule(Kernel(ir::Allocate(r, ramp))));
}

TEST(CheckModuleTest, RegistersAreNotSharedByParallelIterations) {
  ir::Var v = ir::MakeVar("v");
  Buffer r = ir::MakeBuffer("r", {4}, ir::kF32, Scope::kRegister);
  const Stmt body = ir::Store(r, {0}, ir::FloatImm(0));
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(ir::Allocate(r, Loop(ForKind::kParallel, v, body)))),
                       StatusCode::kInvalidArgument, "parallel loop v"));
  ALT_EXPECT_OK(CheckModule(Kernel(Loop(ForKind::kParallel, v, ir::Allocate(r, body)))));
}

TEST(CheckModuleTest, VectorsHaveAtMost64Lanes) {
  const Stmt wide = ir::Store(Out(), {ir::Ramp(0, 1, 65)}, ir::Zero(ir::kF32.WithLanes(65)));
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(wide)), StatusCode::kInvalidArgument, "65 lanes"));
}

TEST(CheckModuleTest, ParametersAreOfTheCallersMemory) {
  ir::Module module = Kernel(One(0));
  module.functions[0].params.push_back(ir::MakeBuffer("l", {4}, ir::kF32, Scope::kLocal));
  EXPECT_TRUE(StatusIs(CheckModule(module), StatusCode::kInvalidArgument, "l is no parameter"));
  module.functions[0] = {"f", {Out()}, Stmt()};
  EXPECT_TRUE(StatusIs(CheckModule(module), StatusCode::kInvalidArgument, "no body"));
}

TEST(CheckModuleTest, RegistersAreNotPrefetched) {
  Buffer r = ir::MakeBuffer("r", {4}, ir::kF32, Scope::kRegister);
  EXPECT_TRUE(StatusIs(CheckModule(Kernel(ir::Allocate(r, ir::Prefetch(r, {0})))),
                       StatusCode::kInvalidArgument, "prefetch of r"));
}

}  // namespace
}  // namespace alt::codegen
