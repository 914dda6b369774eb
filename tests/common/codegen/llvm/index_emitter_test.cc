// What LLVM IR the arithmetic of indices becomes: how much of it, and where.
#include "common/codegen/llvm/index_emitter.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/string_view.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "tests/common/codegen/kernels.h"
#include "tests/testing/status_matchers.h"

namespace alt::testing {
namespace {

using ir::Expr;
using ir::ForKind;
using ir::Stmt;
using ir::Var;

int Count(absl::string_view text, absl::string_view word) {
  int count = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

std::string IrOf(const ir::Module& module) {
  auto codegen = codegen::CreateLlvmCodegen({.mcpu = "znver4", .vec_bits = 512});
  auto text = (*codegen)->LlvmIr(module);
  return text.ok() ? *text : text.status().ToString();
}

// The text between the heads of the loops over `outer` and `inner`.
absl::string_view Between(absl::string_view text, absl::string_view outer,
                          absl::string_view inner) {
  const size_t begin = text.find(outer);
  const size_t end = text.find(inner);
  return begin == text.npos || end == text.npos ? "" : text.substr(begin, end - begin);
}

TEST(IndexEmitterTest, LoadsOfATileShareOnePointer) {
  const std::string ir = IrOf(DirectConv({.channels = 64, .size = 56}, {.rows = 14, .vectors = 2}));
  // One scaled variable for each loop and buffer that it moves, whatever the size of the tile.
  EXPECT_LE(Count(ir, " = mul nsw i64"), 12) << ir;
  EXPECT_EQ(Count(ir, "load float"), 14);
  EXPECT_EQ(Count(ir, "load <16 x float>"), 2);
  EXPECT_EQ(Count(ir, " alloca "), 0);
}

TEST(IndexEmitterTest, ArithmeticBelongsToTheLoopThatItDependsOn) {
  ir::Buffer x = ir::MakeBuffer("x", {40, 100}), y = ir::MakeBuffer("y", {40, 100});
  Var a = ir::MakeVar("a"), b = ir::MakeVar("b");
  const Expr row = FloorDiv(a, 3);
  Stmt body = ir::Store(y, {row, b}, ir::Load(x, {row, b}) + ir::Load(x, {row, Expr(b) + 1}));
  body = ir::For(a, 0, 40, ForKind::kSerial, ir::For(b, 0, 99, ForKind::kSerial, body));
  const std::string ir = IrOf({{{"f", {x, y}, body}}});
  EXPECT_EQ(Count(ir, "udiv"), 1) << ir;
  EXPECT_EQ(Count(Between(ir, "%a = phi", "%b = phi"), "udiv"), 1) << ir;
}

TEST(IndexEmitterTest, DivisionsByPowersOfTwoAreShifts) {
  ir::Buffer y = ir::MakeBuffer("y", {100, 8});
  Var a = ir::MakeVar("a");
  const Expr i = Expr(a) - 8;
  Stmt body = ir::Store(y, {FloorDiv(i, 8) + 1, FloorMod(i, 8)}, ir::FloatImm(1));
  const std::string ir = IrOf({{{"f", {y}, ir::For(a, 0, 99, ForKind::kSerial, body)}}});
  EXPECT_EQ(Count(ir, "ashr") + Count(ir, "and i64"), 2) << ir;
  EXPECT_EQ(Count(ir, "div") + Count(ir, "rem"), 0) << ir;
}

TEST(IndexEmitterTest, AlignmentFollowsFromTheForm) {
  ir::Buffer y = ir::MakeBuffer("y", {100, 48});
  Var a = ir::MakeVar("a");
  auto store = [&](int64_t column) {
    return ir::Store(y, {a, ir::Ramp(column, 1, 16)}, ir::Zero(ir::kF32.WithLanes(16)));
  };
  const Stmt body = ir::Block({store(0), store(4), store(32), store(17)});
  const std::string ir = IrOf({{{"f", {y}, ir::For(a, 0, 100, ForKind::kSerial, body)}}});
  // Rows are 192 bytes, columns 0, 16, 128 and 68 bytes into them.
  EXPECT_EQ(Count(ir, "align 64\n"), 2) << ir;
  EXPECT_EQ(Count(ir, "align 16\n"), 1) << ir;
  EXPECT_EQ(Count(ir, "align 4\n"), 1) << ir;
}

TEST(LinearFormTest, AddsUpAndCancels) {
  llvm::LLVMContext context;
  llvm::Type* type = llvm::Type::getInt64Ty(context);
  const codegen::IndexValue seven{llvm::ConstantInt::get(type, 7), 0};
  llvm::Argument a(type), b(type);
  codegen::LinearForm form;
  form.Add({&a, 1}, 12);
  form.Add(seven, 3);
  form.Add({&b, 2}, 8);
  EXPECT_EQ(form.constant, 21);
  EXPECT_EQ(form.TermsAlignment(64), 4u);
  codegen::LinearForm other;
  other.Add({&b, 2}, 8);
  EXPECT_FALSE(form.SameTerms(other));
  form.Add({&a, 1}, -12);
  EXPECT_TRUE(form.SameTerms(other));
  EXPECT_EQ(form.TermsAlignment(64), 8u);
}

}  // namespace
}  // namespace alt::testing
