// Random layouts on all tensors of random small operators: the rewritten graph computes in every
// cell with data what the plain one computes, and zero in every other.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/layout/apply_layouts.h"
#include "common/te/op/conv.h"
#include "common/te/op/gemm.h"
#include "common/te/op/winograd.h"
#include "common/te/verify.h"
#include "tests/common/layout/layout_testing.h"
#include "tests/testing/evaluate.h"

namespace alt::layout {
namespace {

using Layouts = std::map<std::string, Layout>;

// An operator (by its numbers, so that it can be printed and shrunk) and layouts for it.
struct Case {
  enum Kind { kConv, kGemm, kWinograd } kind = kConv;
  te::ConvSpec conv;
  te::GemmSpec gemm;
  int64_t mh = 2, mw = 2;
  Layouts layouts;
};

te::Graph MakeGraph(const Case& c) {
  switch (c.kind) {
    case Case::kConv:
      return te::MakeConv(c.conv);
    case Case::kGemm:
      return te::MakeGemm(c.gemm);
    case Case::kWinograd:
      break;
  }
  return *te::MakeWinogradConv(c.conv, c.mh, c.mw);
}

std::string Describe(const Case& c) {
  std::string text;
  if (c.kind == Case::kGemm) {
    text = absl::StrCat("gemm m=", c.gemm.m, " n=", c.gemm.n, " k=", c.gemm.k,
                        " batch=", c.gemm.batch, " ta=", c.gemm.trans_a, " tb=", c.gemm.trans_b);
  } else {
    text = absl::StrCat("conv n=", c.conv.n, " ic=", c.conv.ic, " oc=", c.conv.oc,
                        " groups=", c.conv.groups);
    for (const te::ConvAxis& a : c.conv.axes) {
      absl::StrAppend(&text, " {input ", a.input, " kernel ", a.kernel, " stride ", a.stride,
                      " pad ", a.pad_begin, ",", a.pad_end, " dilation ", a.dilation, "}");
    }
    if (c.kind == Case::kWinograd) absl::StrAppend(&text, " winograd(", c.mh, ",", c.mw, ")");
  }
  for (const auto& [name, layout] : c.layouts) {
    absl::StrAppend(&text, "\n  layout ", name, ": ", Print(layout));
  }
  return text;
}

enum class Verdict { kPass, kRefused, kFail };
struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string reason;
};

// The physical contents that a tensor must have.
std::vector<double> PackByOracle(const BoundLayout& bound, const std::vector<double>& logical) {
  std::vector<double> packed;
  for (int64_t cell : OracleCells(bound)) packed.push_back(cell < 0 ? 0 : logical[cell]);
  return packed;
}

Outcome Fail(std::string reason) { return {Verdict::kFail, std::move(reason)}; }

// Compares every tensor of the rewritten graph, copies and cells without data included.
Outcome CompareTensors(const te::Graph& plain, const te::Graph& rewritten, const Case& c,
                       const ir::Memory& expected, ir::Memory& actual) {
  std::map<std::string, std::vector<double>> packed;
  for (size_t i = 0; i < plain.tensors.size(); ++i) {
    const ir::Buffer& tensor = plain.tensors[i].buffer;
    const auto layout = c.layouts.find(tensor->name);
    const BoundLayout bound =
        *BoundLayout::Create(layout == c.layouts.end() ? Layout() : layout->second, tensor->shape);
    if (rewritten.tensors[i].buffer->shape != bound.physical_shape()) {
      return Fail(absl::StrCat("shape of ", tensor->name));
    }
    packed[tensor->name] = PackByOracle(bound, expected.at(tensor.get()));
    if (plain.Producer(tensor) == nullptr) {
      actual[rewritten.tensors[i].buffer.get()] = packed[tensor->name];
    }
  }
  if (absl::Status status = testing::Evaluate(rewritten, actual); !status.ok()) {
    return Fail(status.ToString());
  }
  for (const te::Tensor& tensor : rewritten.tensors) {
    const std::vector<double>& want = packed[tensor.buffer->name];
    const std::vector<double>& have = actual[tensor.buffer.get()];
    for (size_t i = 0; i < want.size(); ++i) {
      if (std::abs(want[i] - have[i]) <= 1e-9) continue;
      return Fail(
          absl::StrCat(tensor.buffer->name, "[", i, "] is ", have[i], ", expected ", want[i]));
    }
  }
  return {};
}

Outcome Check(const Case& c) {
  const te::Graph plain = MakeGraph(c);
  const absl::StatusOr<te::Graph> rewritten = ApplyLayouts(plain, c.layouts);
  if (!rewritten.ok()) return {Verdict::kRefused, rewritten.status().ToString()};
  if (absl::Status status = te::Verify(*rewritten); !status.ok()) return Fail(status.ToString());
  base::Random random(11);
  ir::Memory expected, actual;
  for (const te::Tensor& tensor : plain.tensors) {
    if (plain.Producer(tensor.buffer) != nullptr) continue;
    std::vector<double>& values = expected[tensor.buffer.get()];
    for (int64_t i = 0; i < ir::NumElements(*tensor.buffer); ++i) {
      values.push_back(static_cast<double>(random.UniformInt(1, 7)));
    }
  }
  if (absl::Status status = testing::Evaluate(plain, expected); !status.ok()) {
    return Fail(status.ToString());
  }
  return CompareTensors(plain, *rewritten, c, expected, actual);
}

// Smaller cases next to one: a layout less, a primitive less, a smaller operator.
std::vector<Case> Smaller(const Case& c) {
  std::vector<Case> smaller;
  for (const auto& [name, layout] : c.layouts) {
    smaller.push_back(c);
    smaller.back().layouts.erase(name);
    if (layout.primitives.empty()) continue;
    smaller.push_back(c);
    smaller.back().layouts[name].primitives.pop_back();
  }
  auto lower = [&](auto field, int64_t least) {
    Case next = c;
    if (field(next) <= least) return;
    --field(next);
    smaller.push_back(std::move(next));
  };
  if (c.kind == Case::kGemm) {
    lower([](Case& x) -> int64_t& { return x.gemm.m; }, 1);
    lower([](Case& x) -> int64_t& { return x.gemm.n; }, 1);
    lower([](Case& x) -> int64_t& { return x.gemm.k; }, 1);
    return smaller;
  }
  lower([](Case& x) -> int64_t& { return x.conv.n; }, 1);
  if (c.conv.groups == 1) {
    lower([](Case& x) -> int64_t& { return x.conv.ic; }, 1);
    lower([](Case& x) -> int64_t& { return x.conv.oc; }, 1);
  }
  for (size_t i = 0; i < c.conv.axes.size(); ++i) {
    const te::ConvAxis& axis = c.conv.axes[i];
    lower([i](Case& x) -> int64_t& { return x.conv.axes[i].pad_end; }, 0);
    lower([i](Case& x) -> int64_t& { return x.conv.axes[i].kernel; }, 1);
    if (axis.window() < axis.input) {
      lower([i](Case& x) -> int64_t& { return x.conv.axes[i].input; }, 1);
    }
  }
  return smaller;
}

Case Shrink(Case c) {
  for (bool again = true; again;) {
    again = false;
    for (Case& next : Smaller(c)) {
      if (Check(next).verdict != Verdict::kFail) continue;
      c = std::move(next);
      again = true;
      break;
    }
  }
  return c;
}

te::ConvAxis RandomAxis(base::Random& random, bool plain) {
  te::ConvAxis axis;
  axis.kernel = random.UniformInt(1, 3);
  if (!plain) {
    axis.stride = random.UniformInt(1, 3);
    axis.dilation = random.UniformInt(1, 2);
  }
  axis.pad_begin = random.UniformInt(0, 2);
  axis.pad_end = random.UniformInt(0, 2);
  axis.input = random.UniformInt(axis.window(), axis.window() + 5);
  return axis;
}

// Tiles of n outputs for the spatial dimensions of the padded input, as the template has them.
Layout MatchingUnfolds(base::Random& random, const te::ConvSpec& conv) {
  Layout layout;
  for (size_t i = conv.axes.size(); i-- > 0;) {
    if (random.Bernoulli(0.3)) continue;
    const te::ConvAxis& axis = conv.axes[i];
    const int64_t n = random.UniformInt(1, axis.output());
    layout.primitives.push_back(
        Unfold{static_cast<int>(2 + i), axis.stride * (n - 1) + axis.window(), axis.stride * n});
  }
  return layout;
}

// Continues a layout with random primitives.
void Extend(base::Random& random, const Shape& shape, const RandomLayoutOptions& options,
            Layout* layout) {
  const Shape reached = BoundLayout::Create(*layout, shape)->physical_shape();
  for (Primitive& p : RandomLayout(random, reached, options).primitives) {
    layout->primitives.push_back(std::move(p));
  }
}

void AddLayouts(base::Random& random, Case* c) {
  const te::Graph graph = MakeGraph(*c);
  for (const te::Tensor& tensor : graph.tensors) {
    if (random.Bernoulli(0.3)) continue;
    const std::string& name = tensor.buffer->name;
    const bool input = tensor.role == te::Role::kInput;
    Layout layout;
    // Random windows seldom fit: tensors that slide get fitting ones or none.
    const bool slides = name == "xp" || name == "d1";
    if (name == "xp" && c->kind == Case::kConv && random.Bernoulli(0.8)) {
      layout = MatchingUnfolds(random, c->conv);
    }
    Extend(random, tensor.buffer->shape,
           {.max_primitives = 3,
            .unfold = !input && (!slides || random.Bernoulli(0.2)),
            .pad = !input,
            .inverses = !input,
            .max_cells = 2000},
           &layout);
    c->layouts[name] = std::move(layout);
  }
}

Case RandomCase(base::Random& random, Case::Kind kind) {
  Case c = {.kind = kind};
  if (kind == Case::kGemm) {
    c.gemm = {.m = random.UniformInt(1, 9),
              .n = random.UniformInt(1, 9),
              .k = random.UniformInt(1, 7),
              .batch = random.UniformInt(1, 3),
              .trans_a = random.Bernoulli(0.3),
              .trans_b = random.Bernoulli(0.3)};
  } else {
    const bool winograd = kind == Case::kWinograd;
    c.conv.groups = winograd || random.Bernoulli(0.6) ? 1 : random.UniformInt(2, 3);
    c.conv.n = random.UniformInt(1, 2);
    c.conv.ic = c.conv.groups * random.UniformInt(1, 2);
    c.conv.oc = c.conv.groups * random.UniformInt(1, c.conv.groups == 1 ? 5 : 2);
    const int64_t axes = winograd || random.Bernoulli(0.6) ? 2 : 1;
    for (int64_t i = 0; i < axes; ++i) c.conv.axes.push_back(RandomAxis(random, winograd));
    c.mh = random.UniformInt(1, 4);
    c.mw = random.UniformInt(1, 4);
  }
  AddLayouts(random, &c);
  return c;
}

void RunCases(Case::Kind kind, uint64_t first_seed, int cases, int least_applied) {
  int applied = 0;
  for (uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
    base::Random random(seed);
    const Case c = RandomCase(random, kind);
    const Outcome outcome = Check(c);
    applied += outcome.verdict == Verdict::kPass;
    if (outcome.verdict != Verdict::kFail) continue;
    const Case small = Shrink(c);
    FAIL() << "seed " << seed << ": " << outcome.reason << "\nshrunk: " << Check(small).reason
           << "\n"
           << Describe(small);
  }
  // Most cases must really apply, or this test shows nothing.
  EXPECT_GE(applied, least_applied);
}

TEST(ApplyLayoutsPropertyTest, Convolutions) { RunCases(Case::kConv, 1000, 1500, 1300); }
TEST(ApplyLayoutsPropertyTest, Matmuls) { RunCases(Case::kGemm, 3000, 1500, 1400); }
TEST(ApplyLayoutsPropertyTest, Winograd) { RunCases(Case::kWinograd, 5000, 200, 170); }

}  // namespace
}  // namespace alt::layout
