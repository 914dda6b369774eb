#include "common/lower/transpose_loops.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/ir/interpreter.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/ir/verify.h"
#include "common/ir/visitor.h"
#include "common/lower/flatten_buffers.h"
#include "common/lower/lower.h"
#include "common/lower/vectorize_loops.h"
#include "gtest/gtest.h"
#include "tests/common/lower/run_kernel.h"
#include "tests/testing/fuzz_cases.h"
#include "tests/testing/status_matchers.h"

namespace alt::lower {
namespace {

using testing::StatusIs;

ir::Stmt Loop(const ir::Var& var, const ir::Expr& min, const ir::Expr& extent,
              const ir::Stmt& body) {
  return ir::For(var, min, extent, ir::ForKind::kTransposed, body);
}

class TransposeLoopsTest : public ::testing::Test {
 protected:
  // y[1000*w + c] = x[1000*c + w]
  ir::Stmt Copy() const {
    return ir::Store(y_, {ir::Expr(w_) * 1000 + c_}, ir::Load(x_, {ir::Expr(c_) * 1000 + w_}));
  }
  static std::string Transposed(const ir::Stmt& s, int lanes) {
    return ir::Print(ir::Simplify(VectorizeLoops(TransposeLoops(s, lanes), lanes)));
  }
  absl::Status Check(const ir::Stmt& body) const { return CheckTransposes({"f", {x_, y_}, body}); }

  const ir::Buffer x_ = ir::MakeBuffer("x", {100000});
  const ir::Buffer y_ = ir::MakeBuffer("y", {100000});
  const ir::Var c_ = ir::MakeVar("c"), w_ = ir::MakeVar("w");
};

TEST_F(TransposeLoopsTest, ReadsRunAlongOneLoopAndStoresAlongTheOther) {
  constexpr char kBlock[] =
      "allocate y_rows: f32x2[2] register {\n"
      "  y_rows[0] = x[ramp(0, 1, 2)]\n"
      "  y_rows[1] = x[ramp(1000, 1, 2)]\n"
      "  y[ramp(0, 1, 2)] = transpose(y_rows)[0]\n"
      "  y[ramp(1000, 1, 2)] = transpose(y_rows)[1]\n"
      "}\n";
  EXPECT_EQ(Transposed(Loop(c_, 0, 2, Loop(w_, 0, 2, Copy())), 16), kBlock);
  EXPECT_EQ(Transposed(Loop(w_, 0, 2, Loop(c_, 0, 2, Copy())), 16), kBlock) << "in either order";
}

TEST_F(TransposeLoopsTest, BlocksAreSquaresOfAPowerOfTwo) {
  EXPECT_EQ(BlockSide(16, 16, 16), 16);
  EXPECT_EQ(BlockSide(16, 16, 8), 8);
  EXPECT_EQ(BlockSide(100, 7, 16), 4);
  EXPECT_EQ(BlockSide(1, 7, 16), 1);
}

TEST_F(TransposeLoopsTest, TheLastBlockBeginsEarlierWhereTheRestIsShorter) {
  const std::string text = Transposed(Loop(c_, 0, 2, Loop(w_, 3, 5, Copy())), 16);
  for (const char* row : {"y_rows[0] = x[ramp(3, 1, 2)]", "y_rows[0] = x[ramp(5, 1, 2)]",
                          "y_rows[0] = x[ramp(6, 1, 2)]"}) {
    EXPECT_TRUE(absl::StrContains(text, row)) << text;
  }
}

TEST_F(TransposeLoopsTest, ALoopWithoutAPartnerIsVectorized) {
  EXPECT_EQ(Transposed(Loop(c_, 0, 4, ir::Store(y_, {c_}, ir::FloatImm(0))), 4),
            "y[ramp(0, 1, 4)] = broadcast(0.0, 4)\n");
  EXPECT_EQ(Transposed(Loop(w_, 0, 1, Loop(c_, 0, 4, Copy())), 4),
            "y[ramp(0, 1, 4)] = x[ramp(0, 1000, 4)]\n");
}

TEST_F(TransposeLoopsTest, WhatDoesNotVaryAlongTheReadsIsStoredAsItIs) {
  const ir::Stmt store = ir::Store(y_, {ir::Expr(w_) * 1000 + c_}, ir::Load(x_, {c_}));
  EXPECT_EQ(Transposed(Loop(w_, 0, 64, Loop(c_, 0, 16, store)), 16),
            "for w in [0, 64) {\n"
            "  y[ramp(1000*w, 1, 16)] = x[ramp(0, 1, 16)]\n"
            "}\n");
}

TEST_F(TransposeLoopsTest, PartsOfABodyAreTransposedEach) {
  const ir::Stmt zero = ir::Store(y_, {c_}, ir::FloatImm(0));
  const std::string text =
      Transposed(Loop(c_, 0, 2, ir::Block({zero, Loop(w_, 1, 2, Copy())})), 16);
  EXPECT_TRUE(absl::StartsWith(text, "y[ramp(0, 1, 2)] = broadcast(0.0, 2)\n")) << text;
  EXPECT_TRUE(absl::StrContains(text, "= transpose(y_rows)[1]")) << text;
}

TEST_F(TransposeLoopsTest, WithoutConstantBoundsALoopIsSerial) {
  const ir::Var n = ir::MakeVar("n");
  const ir::Stmt s = TransposeLoops(Loop(c_, 0, ir::Expr(n), Loop(w_, 0, 2, Copy())), 16);
  EXPECT_EQ(s->for_kind, ir::ForKind::kSerial);
  EXPECT_EQ(s->body()->for_kind, ir::ForKind::kVectorized);
}

TEST_F(TransposeLoopsTest, AccessesThatDoNotRunAlongTheLoopsAreRefused) {
  const auto kRefused = absl::StatusCode::kFailedPrecondition;
  const auto pair = [&](const ir::Expr& to, const ir::Expr& from) {
    return Check(Loop(c_, 0, 8, Loop(w_, 0, 8, ir::Store(y_, {to}, ir::Load(x_, {from})))));
  };
  const ir::Expr c = c_, w = w_;
  EXPECT_TRUE(testing::IsOk(pair(w * 8 + c, c * 8 + w)));
  EXPECT_TRUE(StatusIs(pair(w * 16 + c * 2, c * 8 + w), kRefused,
                       "cannot transpose loops c and w: stores to y do not run along w, and stores "
                       "to y do not run along c"));
  EXPECT_TRUE(StatusIs(pair(w * 8 + c, c * 8 + w * 2), kRefused,
                       "cannot transpose loops c and w: stores to y do not run along w, and reads "
                       "of x do not run along w"));
  EXPECT_TRUE(StatusIs(pair(w * 8 + c, w * 8 + c), kRefused, "reads of x"));
  EXPECT_TRUE(StatusIs(pair(w * 8 + c, c * 8 + ir::FloorDiv(w, 2)), kRefused, "reads of x"));
}

// Both sides of a random pair of loops, in the interpreter.
void CheckRandomTile(uint64_t seed) {
  base::Random random(seed);
  const int64_t rows = random.UniformInt(1, 40), columns = random.UniformInt(1, 40);
  const int lanes = 1 << random.UniformInt(1, 4);
  const ir::Buffer x = ir::MakeBuffer("x", {rows, columns}), bias = ir::MakeBuffer("b", {rows});
  const ir::Buffer y = ir::MakeBuffer("y", {columns, rows});
  const ir::Var r = ir::MakeVar("r"), c = ir::MakeVar("c");
  ir::Expr value = ir::Load(x, {r, c});
  if (random.Bernoulli(0.5)) value = value * ir::FloatImm(3) + ir::Load(bias, {r});
  if (random.Bernoulli(0.3)) value = ir::Max(value, ir::FloatImm(0));
  // A part of the tile.
  const int64_t from = random.UniformInt(0, rows - 1), begin = random.UniformInt(0, columns - 1);
  const int64_t height = random.UniformInt(1, rows - from);
  const int64_t width = random.UniformInt(1, columns - begin);
  ir::Stmt body = ir::Store(y, {c, r}, value);
  if (random.Bernoulli(0.5)) {
    body = Loop(r, from, height, Loop(c, begin, width, body));
  } else {
    body = Loop(c, begin, width, Loop(r, from, height, body));
  }
  const ir::Function plain{"f", {x, bias, y}, body};
  ALT_ASSERT_OK(CheckTransposes(plain));
  ir::Function flat = FlattenBuffers(plain);
  flat.body = ir::Simplify(VectorizeLoops(TransposeLoops(flat.body, lanes), lanes));
  ALT_ASSERT_OK(ir::Verify({{flat}})) << ir::Print(flat.body);
  bool serial = false;
  ir::VisitStmt(flat.body, [&](const ir::Stmt& s) {
    serial |= s->kind == ir::StmtKind::kFor;
    return true;
  });
  EXPECT_FALSE(serial && height > 1 && width > 1) << "extents are constant, so are blocks";

  std::vector<double> in(static_cast<size_t>(rows * columns)), offsets(static_cast<size_t>(rows));
  for (double& v : in) v = static_cast<double>(random.UniformInt(-9, 9));
  for (double& v : offsets) v = static_cast<double>(random.UniformInt(-9, 9));
  const auto run = [&](const ir::Function& f) {
    ir::Memory memory{{f.params[0].get(), in},
                      {f.params[1].get(), offsets},
                      {f.params[2].get(), std::vector<double>(in.size())}};
    ALT_EXPECT_OK(ir::Interpret(f, memory)) << ir::Print(f.body);
    return memory[f.params[2].get()];
  };
  EXPECT_EQ(run(flat), run(plain)) << ir::Print(flat.body);
}

TEST(TransposeLoopsPropertyTest, AnyTileIsWhatItsLoopsSay) {
  const int cases = testing::FuzzCases(300);
  for (int seed = 0; seed < cases && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    CheckRandomTile(static_cast<uint64_t>(seed));
  }
}

// A kernel with plain ends reads its input row by row, and blocks channels.
constexpr char kPlainInput[] =
    "conv2d:n=1,ic=20,ih=9,iw=21,oc=8,kh=3,kw=3,pad=1\n"
    "layout xp: split(1,16) reorder(0,1,3,4,2)\n"
    "layout y: reorder(0,2,3,1)\n"
    "reorder(pad: n c.0 h c.1 w)\n"
    "transpose(pad.w, pad.c.1)\n"
    "vectorize(conv.o)\n";

TEST(TransposeLoopsPropertyTest, APaddedInputIsTransposedOnItsWay) {
  ALT_ASSERT_OK_AND_ASSIGN(const workload::CandidateFile file,
                           workload::ParseCandidateFile(kPlainInput));
  target::Target target;
  target.vec_bits = 512;
  ALT_ASSERT_OK_AND_ASSIGN(const Kernel kernel, Lower(file.workload, file.candidate, target));
  EXPECT_TRUE(absl::StrContains(ir::Print(kernel.module), "transpose(xp_rows)[15]"));
  base::Random random(1);
  ALT_ASSERT_OK_AND_ASSIGN(const testing::Outputs outputs,
                           testing::RunBoth(file.workload, file.candidate, target, random));
  EXPECT_EQ(outputs.kernel, outputs.reference);
}

}  // namespace
}  // namespace alt::lower
