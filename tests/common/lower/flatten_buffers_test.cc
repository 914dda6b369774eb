#include "common/lower/flatten_buffers.h"

#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "gtest/gtest.h"

namespace alt::lower {
namespace {

std::string Flattened(const ir::Stmt& s) {
  return ir::Print(ir::Simplify(FlattenBuffers({"f", {}, s}).body));
}

TEST(FlattenBuffersTest, AccessesGetOneRowMajorIndex) {
  const ir::Buffer b = ir::MakeBuffer("b", {4, 8});
  const ir::Var i = ir::MakeVar("i");
  const ir::Function flat = FlattenBuffers(
      {"f",
       {b},
       ir::For(i, 0, 4, ir::ForKind::kSerial, ir::Store(b, {i, 3}, ir::Load(b, {i, 2})))});
  EXPECT_EQ(flat.params[0]->shape, std::vector<int64_t>{32});
  EXPECT_EQ(ir::Print(ir::Simplify(flat.body)),
            "for i in [0, 4) {\n  b[8*i + 3] = b[8*i + 2]\n}\n");
}

TEST(FlattenBuffersTest, ParametersKeepTheirOrderAndAreTheBuffersOfTheBody) {
  const ir::Buffer x = ir::MakeBuffer("x", {2, 3}), y = ir::MakeBuffer("y", {6});
  const ir::Function flat = FlattenBuffers({"f", {x, y}, ir::Store(y, {5}, ir::Load(x, {1, 2}))});
  ASSERT_EQ(flat.params.size(), 2u);
  EXPECT_EQ(flat.params[0]->name, "x");
  EXPECT_EQ(flat.params[1], y) << "of one dimension already";
  EXPECT_EQ(flat.body->value()->buffer, flat.params[0]);
  EXPECT_EQ(flat.body->buffer, flat.params[1]);
}

TEST(FlattenBuffersTest, AllocationsAndHintsAreRewrittenToo) {
  const ir::Buffer local = ir::MakeBuffer("t", {2, 3, 4}, ir::kF32, ir::Scope::kLocal);
  const ir::Stmt body =
      ir::Block({ir::Store(local, {1, 2, 3}, ir::Zero(ir::kF32)), ir::Prefetch(local, {1, 0, 2})});
  EXPECT_EQ(Flattened(ir::Allocate(local, body)),
            "allocate t: f32[24] local {\n"
            "  t[23] = 0.0\n"
            "  prefetch t[14]\n"
            "}\n");
}

TEST(FlattenBuffersTest, AnIndexMayReadAnotherBuffer) {
  const ir::Buffer x = ir::MakeBuffer("x", {4, 4}), y = ir::MakeBuffer("y", {4, 4});
  EXPECT_EQ(Flattened(ir::Store(y, {1, 1}, ir::Load(x, {0, 3}) + ir::Load(y, {3, 0}))),
            "y[5] = x[3] + y[12]\n");
}

TEST(FlattenBuffersTest, ATableKeepsItsValues) {
  const ir::Buffer table = ir::MakeTable("g", {2, 2}, {1, 2, 3, 4});
  const ir::Buffer y = ir::MakeBuffer("y", {2, 2});
  const ir::Var i = ir::MakeVar("i");
  const ir::Stmt loop = ir::For(i, 0, 2, ir::ForKind::kSerial,
                                ir::Store(y, {i, 0}, ir::Load(table, {1, ir::Expr(i)})));
  const ir::Function flat = FlattenBuffers({"f", {y}, loop});
  const ir::Buffer& loaded = flat.body->body()->value()->buffer;
  EXPECT_EQ(loaded->shape, std::vector<int64_t>{4});
  EXPECT_EQ(loaded->table, table->table);
}

}  // namespace
}  // namespace alt::lower
