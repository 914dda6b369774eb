#include "common/workload/op/conv2d.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/te/op/conv.h"
#include "common/te/op/winograd.h"

namespace alt::workload {
namespace {

te::ConvSpec SpecOf(const Conv2d& op) {
  te::ConvSpec spec{.n = op.n, .ic = op.ic, .oc = op.oc, .groups = op.groups};
  const int64_t input[] = {op.ih, op.iw}, kernel[] = {op.kh, op.kw};
  for (int i = 0; i < 2; ++i) {
    spec.axes.push_back({.input = input[i],
                         .kernel = kernel[i],
                         .stride = op.stride[i],
                         .pad_begin = op.pad_begin[i],
                         .pad_end = op.pad_end[i],
                         .dilation = op.dilation[i]});
  }
  return spec;
}

// A field with one value for each spatial axis.
Field StepField(std::string name, int64_t (&values)[2], std::string fallback,
                std::vector<std::string> aliases) {
  return Field{.name = std::move(name),
               .kind = Field::Kind::kAxes,
               .values = {&values[0], &values[1]},
               .high = kMaxStep,
               .fallback = std::move(fallback),
               .aliases = std::move(aliases)};
}

absl::Status CheckWindow(const char* axis, const te::ConvAxis& a) {
  if (a.window() <= a.input + a.pad_begin + a.pad_end) return absl::OkStatus();
  const std::string dilated = a.dilation == 1 ? ""
                                              : absl::StrCat(" (", a.window(), " with dilation ",
                                                             a.dilation, " along ", axis, ")");
  return absl::InvalidArgumentError(
      absl::StrCat("k", axis, "=", a.kernel, dilated, " does not fit the padded input of ",
                   a.input + a.pad_begin + a.pad_end, " (i", axis, "=", a.input, ", pad ",
                   a.pad_begin, " before and ", a.pad_end, " after)"));
}

// How many inputs along one axis some tap reads: a stride may step over others, and the last ones
// may be out of reach.
int64_t InputsRead(const te::ConvAxis& a) {
  const int64_t span = (a.output() - 1) * a.stride;
  // A tap reads every stride-th input; taps whose first inputs are equal modulo the stride share
  // them, and each goes further than those before it. For each remainder: the first not yet read.
  absl::flat_hash_map<int64_t, int64_t> next_of;
  int64_t count = 0;
  for (int64_t k = 0; k < a.kernel && count < a.input; ++k) {
    const int64_t first = k * a.dilation - a.pad_begin;
    const int64_t remainder = (first % a.stride + a.stride) % a.stride;
    int64_t& next = next_of.try_emplace(remainder, remainder).first->second;
    const int64_t from = std::max(first, next), to = std::min(first + span, a.input - 1);
    if (to < from) continue;
    const int64_t reads = (to - from) / a.stride + 1;
    count += reads;
    next = from + reads * a.stride;
  }
  return count;
}

// How many taps of all outputs along one axis meet an input.
double TapsInside(const te::ConvAxis& a) {
  double taps = 0;
  for (int64_t k = 0; k < a.kernel; ++k) {
    // Of the outputs o with 0 <= o * stride + offset < input.
    const int64_t offset = k * a.dilation - a.pad_begin;
    const int64_t first = offset >= 0 ? 0 : (-offset + a.stride - 1) / a.stride;
    const int64_t end =
        offset >= a.input ? 0 : std::min(a.output(), (a.input - 1 - offset) / a.stride + 1);
    taps += static_cast<double>(std::max<int64_t>(0, end - first));
  }
  return taps;
}

// Fewer multiply-adds are no gain when they are spent on memory traffic of the transforms.
constexpr double kWorthwhile = 0.6;

// Tile sizes to try along one axis. Larger ones lose too many digits in single precision.
std::vector<int64_t> TileSizes(const te::ConvAxis& axis) {
  if (axis.kernel == 1 || axis.output() == 1) return {1};
  if (axis.output() == 2) return {2};
  return {2, 4};
}

}  // namespace

const char* NameOf(const Conv2d&) { return "conv2d"; }

const char* MeaningOf(const Conv2d&) {
  return "convolution as in ONNX: x [n,ic,ih,iw], w [oc,ic/groups,kh,kw] -> y [n,oc,oh,ow]; "
         "depthwise is groups=ic";
}

Fields FieldsOf(Conv2d& op) {
  Field pad{.name = "pad",
            .kind = Field::Kind::kPads,
            .values = {&op.pad_begin[0], &op.pad_begin[1], &op.pad_end[0], &op.pad_end[1]},
            .low = 0,
            .high = kMaxStep,
            .fallback = "0",
            .aliases = {"pads", "padding", "p"}};
  Field groups = SizeField("groups", &op.groups, {"group", "g", "feature_group_count"});
  groups.fallback = "1";
  return {
      SizeField("n", &op.n, {"batch", "batch_size", "b"}),
      SizeField("ic", &op.ic, {"cin", "c_in", "in_channels", "c", "ci", "channels", "inc"}),
      SizeField("ih", &op.ih, {"h", "height", "in_height", "hi", "hin"}),
      SizeField("iw", &op.iw, {"w", "width", "in_width", "wi", "win"}),
      SizeField("oc", &op.oc, {"cout", "c_out", "out_channels", "k", "co", "o", "filters", "outc"}),
      SizeField("kh", &op.kh, {"r", "fh", "kernel_h", "kernel", "kernel_size", "kernel_shape"}),
      SizeField("kw", &op.kw, {"s", "fw", "kernel_w"}),
      StepField("stride", op.stride, "1", {"strides", "stride_h", "stride_w", "sh", "sw", "v"}),
      std::move(pad),
      StepField("dilation", op.dilation, "1", {"dilations", "dil", "d", "rate"}),
      std::move(groups),
      DtypeField(),
  };
}

absl::Status CheckShapes(const Conv2d& op) {
  for (const auto& [name, channels] : {std::pair("ic", op.ic), std::pair("oc", op.oc)}) {
    if (channels % op.groups != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("groups=", op.groups, " does not divide ", name, "=", channels));
    }
  }
  const te::ConvSpec spec = SpecOf(op);
  ALT_RETURN_IF_ERROR(CheckWindow("h", spec.axes[0]));
  ALT_RETURN_IF_ERROR(CheckWindow("w", spec.axes[1]));
  ALT_RETURN_IF_ERROR(CheckElements("x", {op.n, op.ic, op.ih, op.iw}));
  ALT_RETURN_IF_ERROR(
      CheckElements("xp (x, padded)", {op.n, op.ic, spec.axes[0].padded(), spec.axes[1].padded()}));
  ALT_RETURN_IF_ERROR(CheckElements("w", {op.oc, op.ic / op.groups, op.kh, op.kw}));
  return CheckElements("y", {op.n, op.oc, spec.axes[0].output(), spec.axes[1].output()});
}

double MultiplyAdds(const Conv2d& op) {
  const te::ConvSpec spec = SpecOf(op);
  double product = static_cast<double>(op.n) * static_cast<double>(op.oc);
  product *= static_cast<double>(op.ic / op.groups);
  for (const te::ConvAxis& axis : spec.axes) {
    product *= static_cast<double>(axis.output()) * static_cast<double>(axis.kernel);
  }
  return product;
}

double LeastMultiplyAdds(const Conv2d& op, const Algorithm& algorithm) {
  double products = static_cast<double>(op.n) * static_cast<double>(op.oc);
  products *= static_cast<double>(op.ic / op.groups);
  for (const te::ConvAxis& axis : SpecOf(op).axes) products *= TapsInside(axis);
  for (const Rewrite& rewrite : algorithm.rewrites) {
    // Transforms cost additions, for the most part.
    const auto& [mh, mw] = std::get<Winograd>(rewrite);
    const auto saved = [](int64_t m, int64_t k) {
      return static_cast<double>(m + k - 1) / static_cast<double>(m * k);
    };
    products *= saved(mh, op.kh) * saved(mw, op.kw);
  }
  return products;
}

double CompulsoryElements(const Conv2d& op) {
  double x = static_cast<double>(op.n) * static_cast<double>(op.ic);
  double w = static_cast<double>(op.oc) * static_cast<double>(op.ic / op.groups);
  double y = static_cast<double>(op.n) * static_cast<double>(op.oc);
  for (const te::ConvAxis& axis : SpecOf(op).axes) {
    x *= static_cast<double>(InputsRead(axis));
    w *= static_cast<double>(axis.kernel);
    y *= static_cast<double>(axis.output());
  }
  return x + w + y;
}

absl::StatusOr<te::Graph> MakeGraph(const Conv2d& op, const Algorithm& algorithm) {
  const std::vector<Rewrite>& rewrites = algorithm.rewrites;
  if (rewrites.empty()) return te::MakeConv(SpecOf(op));
  if (rewrites.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(Print(rewrites[0]), " leaves no convolution for ", Print(rewrites[1])));
  }
  const auto& [mh, mw] = std::get<Winograd>(rewrites[0]);
  return te::MakeWinogradConv(SpecOf(op), mh, mw);
}

std::vector<Algorithm> AlgorithmsOf(const Conv2d& op) {
  std::vector<Algorithm> algorithms = {{}};
  const te::ConvSpec spec = SpecOf(op);
  for (int64_t mh : TileSizes(spec.axes[0])) {
    for (int64_t mw : TileSizes(spec.axes[1])) {
      if (te::CheckWinograd(spec, mh, mw).ok() &&
          te::WinogradMultiplyAdds(spec, mh, mw) <= kWorthwhile * MultiplyAdds(op)) {
        algorithms.push_back({{Winograd{mh, mw}}});
      }
    }
  }
  return algorithms;
}

}  // namespace alt::workload
