#include "common/te/op/winograd.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/math.h"
#include "common/base/status_macros.h"
#include "common/ir/index_math.h"
#include "common/te/op/cook_toom.h"

namespace alt::te {
namespace {

// Sizes and matrices of one winograd(mh,mw).
struct Tiling {
  int64_t mh, mw;
  int64_t tiles_h, tiles_w;  // TY, TX
  int64_t patch_h, patch_w;  // A, B
  int64_t padded_h, padded_w;

  int64_t tiles(const ConvSpec& spec) const { return spec.n * tiles_h * tiles_w; }
};

Tiling MakeTiling(const ConvSpec& spec, int64_t mh, int64_t mw) {
  const ConvAxis& h = spec.axes[0];
  const ConvAxis& w = spec.axes[1];
  Tiling t{.mh = mh, .mw = mw};
  t.tiles_h = base::CeilDiv(h.output(), mh);
  t.tiles_w = base::CeilDiv(w.output(), mw);
  t.patch_h = mh + h.kernel - 1;
  t.patch_w = mw + w.kernel - 1;
  t.padded_h = mh * t.tiles_h + h.kernel - 1;
  t.padded_w = mw * t.tiles_w + w.kernel - 1;
  return t;
}

bool IsIdentity(const Matrix& matrix) {
  if (matrix.rows != matrix.cols) return false;
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.cols; ++j) {
      if (matrix.at(i, j) != (i == j ? 1 : 0)) return false;
    }
  }
  return true;
}

bool IsOnes(const Matrix& matrix) {
  for (double value : matrix.values) {
    if (value != 1) return false;
  }
  return true;
}

using Element = std::function<ir::Expr(const ir::Expr&)>;

// Makes the stage out[..] = sum over i of matrix[row, i] * element(i), row an expression over the
// stage's spatial axes, or what is left of that when the matrix is trivial.
Stage MakeTransform(const std::string& name, const std::string& output, std::vector<Axis> spatial,
                    const std::string& reduction, const std::string& table, const Matrix& matrix,
                    const ir::Expr& row, const Element& element) {
  std::vector<int64_t> shape;
  for (const Axis& axis : spatial) shape.push_back(axis.extent);
  Stage stage{.name = name,
              .output = ir::MakeBuffer(output, std::move(shape)),
              .spatial = std::move(spatial)};
  if (IsIdentity(matrix)) {
    stage.body = element(row);
    return stage;
  }
  if (IsOnes(matrix) && matrix.cols == 1) {
    stage.body = element(0);
    return stage;
  }
  const Axis i = MakeAxis(reduction, matrix.cols);
  stage.reduction = {i};
  stage.body = element(i.var);
  if (!IsOnes(matrix)) {
    const ir::Buffer constants = ir::MakeTable(table, {matrix.rows, matrix.cols}, matrix.values);
    stage.body = ir::Load(constants, {row, i.var}) * stage.body;
  }
  return stage;
}

// pad, row, col: the patches of the input, transformed.
std::vector<Stage> TransformInput(const ConvSpec& spec, const Tiling& tiling, const ir::Buffer& x,
                                  const Matrix& bt_h, const Matrix& bt_w) {
  std::vector<Stage> stages = {MakePadStage(spec, x, {tiling.padded_h, tiling.padded_w})};
  const ir::Buffer xp = stages[0].output;
  {
    const Axis n = MakeAxis("n", spec.n), c = MakeAxis("c", spec.ic);
    const Axis ty = MakeAxis("ty", tiling.tiles_h), a = MakeAxis("a", tiling.patch_h);
    const Axis w = MakeAxis("w", tiling.padded_w);
    stages.push_back(MakeTransform(
        "row", "d1", {n, c, ty, a, w}, "i", "bt_h", bt_h, a.var, [&](const ir::Expr& i) {
          return ir::Load(xp, {n.var, c.var, ir::Plus(ir::Times(ty.var, tiling.mh), i), w.var});
        }));
  }
  const ir::Buffer d1 = stages[1].output;
  const Axis a = MakeAxis("a", tiling.patch_h), b = MakeAxis("b", tiling.patch_w);
  const Axis c = MakeAxis("c", spec.ic), t = MakeAxis("t", tiling.tiles(spec));
  const ir::Expr n = spec.n == 1 ? 0 : ir::DivBy(t.var, tiling.tiles_h * tiling.tiles_w);
  const ir::Expr row = ir::DivBy(t.var, tiling.tiles_w);
  const ir::Expr ty = spec.n == 1 ? row : ir::ModBy(row, tiling.tiles_h);
  const ir::Expr tx = ir::ModBy(t.var, tiling.tiles_w);
  stages.push_back(
      MakeTransform("col", "v", {a, b, c, t}, "j", "bt_w", bt_w, b.var, [&](const ir::Expr& j) {
        return ir::Load(d1, {n, c.var, ty, a.var, ir::Plus(ir::Times(tx, tiling.mw), j)});
      }));
  return stages;
}

// f1, u: the filters, transformed ahead of time.
std::vector<Stage> TransformFilter(const ConvSpec& spec, const Tiling& tiling, const ir::Buffer& w,
                                   const Matrix& g_h, const Matrix& g_w) {
  std::vector<Stage> stages;
  {
    const Axis o = MakeAxis("o", spec.oc), c = MakeAxis("c", spec.ic);
    const Axis a = MakeAxis("a", tiling.patch_h), kw = MakeAxis("kw", spec.axes[1].kernel);
    stages.push_back(
        MakeTransform("f1", "f1", {o, c, a, kw}, "kh", "g_h", g_h, a.var, [&](const ir::Expr& kh) {
          return ir::Load(w, {o.var, c.var, kh, kw.var});
        }));
  }
  const ir::Buffer f1 = stages[0].output;
  const Axis a = MakeAxis("a", tiling.patch_h), b = MakeAxis("b", tiling.patch_w);
  const Axis o = MakeAxis("o", spec.oc), c = MakeAxis("c", spec.ic);
  stages.push_back(
      MakeTransform("u", "u", {a, b, o, c}, "kw", "g_w", g_w, b.var, [&](const ir::Expr& kw) {
        return ir::Load(f1, {o.var, c.var, a.var, kw});
      }));
  return stages;
}

// mm: one product of matrices for each element of a patch.
Stage MultiplyPatches(const ConvSpec& spec, const Tiling& tiling, const ir::Buffer& u,
                      const ir::Buffer& v) {
  const Axis a = MakeAxis("a", tiling.patch_h), b = MakeAxis("b", tiling.patch_w);
  const Axis o = MakeAxis("o", spec.oc), c = MakeAxis("c", spec.ic);
  const Axis t = MakeAxis("t", tiling.tiles(spec));
  return Stage{.name = "mm",
               .output = ir::MakeBuffer("m", {tiling.patch_h, tiling.patch_w, spec.oc, t.extent}),
               .spatial = {a, b, o, t},
               .reduction = {c},
               .body = ir::Load(u, {a.var, b.var, o.var, c.var}) *
                       ir::Load(v, {a.var, b.var, c.var, t.var})};
}

// inv, out: back to the output.
std::vector<Stage> TransformBack(const ConvSpec& spec, const Tiling& tiling, const ir::Buffer& m,
                                 const Matrix& at_h, const Matrix& at_w) {
  std::vector<Stage> stages;
  {
    const Axis i = MakeAxis("i", tiling.mh), b = MakeAxis("b", tiling.patch_w);
    const Axis o = MakeAxis("o", spec.oc), t = MakeAxis("t", tiling.tiles(spec));
    stages.push_back(
        MakeTransform("inv", "s", {i, b, o, t}, "a", "at_h", at_h, i.var, [&](const ir::Expr& a) {
          return ir::Load(m, {a, b.var, o.var, t.var});
        }));
  }
  const ir::Buffer s = stages[0].output;
  const Axis n = MakeAxis("n", spec.n), o = MakeAxis("o", spec.oc);
  const Axis h = MakeAxis("h", spec.axes[0].output()), w = MakeAxis("w", spec.axes[1].output());
  const ir::Expr ty = ir::DivBy(h.var, tiling.mh);
  const ir::Expr row = spec.n == 1 ? ty : ir::Plus(ir::Times(n.var, tiling.tiles_h), ty);
  const ir::Expr t = ir::Plus(ir::Times(row, tiling.tiles_w), ir::DivBy(w.var, tiling.mw));
  stages.push_back(MakeTransform("out", "y", {n, o, h, w}, "b", "at_w", at_w,
                                 ir::ModBy(w.var, tiling.mw), [&](const ir::Expr& b) {
                                   return ir::Load(s, {ir::ModBy(h.var, tiling.mh), b, o.var, t});
                                 }));
  return stages;
}

absl::Status CheckAxis(const char* name, const ConvAxis& axis, int64_t m) {
  if (m < 1 || m + axis.kernel - 1 > kMaxAlpha) {
    return absl::InvalidArgumentError(absl::StrCat("m", name, "=", m, " must be from 1 to ",
                                                   kMaxAlpha - axis.kernel + 1,
                                                   " for a kernel extent of ", axis.kernel));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckWinograd(const ConvSpec& spec, int64_t mh, int64_t mw) {
  if (spec.axes.size() != 2) {
    return absl::InvalidArgumentError("it needs two spatial axes");
  }
  if (spec.groups != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it needs groups=1, the convolution has ", spec.groups));
  }
  for (const ConvAxis& axis : spec.axes) {
    if (axis.stride != 1 || axis.dilation != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("it needs stride=1 and dilation=1, the convolution has stride ", axis.stride,
                       " and dilation ", axis.dilation));
    }
    if (axis.kernel > kMaxAlpha) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it needs kernel extents of at most ", kMaxAlpha, ", the convolution has ", axis.kernel));
    }
  }
  ALT_RETURN_IF_ERROR(CheckAxis("h", spec.axes[0], mh));
  return CheckAxis("w", spec.axes[1], mw);
}

absl::StatusOr<Graph> MakeWinogradConv(const ConvSpec& spec, int64_t mh, int64_t mw) {
  CheckSpec(spec);
  ALT_RETURN_IF_ERROR(CheckWinograd(spec, mh, mw));
  const BilinearAlgorithm h = CookToom(mh, spec.axes[0].kernel);
  const BilinearAlgorithm w = CookToom(mw, spec.axes[1].kernel);
  const Tiling tiling = MakeTiling(spec, mh, mw);

  Graph graph;
  const ir::Buffer input = ConvInput(spec);
  const ir::Buffer filter = ConvFilter(spec);
  const auto append = [&graph](std::vector<Stage> stages) {
    for (Stage& stage : stages) graph.stages.push_back(std::move(stage));
  };
  append(TransformInput(spec, tiling, input, h.bt, w.bt));
  const ir::Buffer v = graph.stages.back().output;
  append(TransformFilter(spec, tiling, filter, h.g, w.g));
  append({MultiplyPatches(spec, tiling, graph.stages.back().output, v)});
  append(TransformBack(spec, tiling, graph.stages.back().output, h.at, w.at));

  graph.tensors = {{input, Role::kInput},
                   {filter, Role::kConstant},
                   {graph.stages.back().output, Role::kOutput}};
  for (size_t i = 0; i + 1 < graph.stages.size(); ++i) {
    const Stage& stage = graph.stages[i];
    const bool constant = stage.name == "f1" || stage.name == "u";
    graph.tensors.push_back({stage.output, constant ? Role::kConstant : Role::kIntermediate});
  }
  return graph;
}

double WinogradMultiplyAdds(const ConvSpec& spec, int64_t mh, int64_t mw) {
  const Tiling t = MakeTiling(spec, mh, mw);
  const double n = spec.n, ic = spec.ic, oc = spec.oc;
  const double tiles = t.tiles(spec), patch = static_cast<double>(t.patch_h) * t.patch_w;
  const double row = n * ic * t.tiles_h * t.padded_w * t.patch_h * t.patch_h;
  const double col = tiles * ic * patch * t.patch_w;
  const double mm = tiles * ic * oc * patch;
  const double inv = tiles * oc * mh * patch;
  const double out = tiles * oc * mh * mw * t.patch_w;
  return row + col + mm + inv + out;
}

}  // namespace alt::te
