#include "common/workload/workload.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/fingerprint.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/te/op/convert.h"
#include "common/workload/field.h"
#include "common/workload/op/conv2d.h"
#include "common/workload/op/matmul.h"

namespace alt::workload {
namespace {

using Op = decltype(Workload::op);

// Longer texts are no workloads; they are refused before anything is made of them.
constexpr size_t kMaxTextBytes = 4096;

// A default-made value of each operator, in the order of the variant.
template <size_t... i>
std::vector<Op> AllOperators(std::index_sequence<i...>) {
  return {Op(std::in_place_index<i>)...};
}
const std::vector<Op>& AllOperators() {
  static const auto* const operators =
      new std::vector<Op>(AllOperators(std::make_index_sequence<std::variant_size_v<Op>>()));
  return *operators;
}

std::string NameOf(const Op& op) {
  return std::visit([](const auto& o) { return std::string(NameOf(o)); }, op);
}
Fields FieldsOf(Op& op) {
  return std::visit([](auto& o) { return FieldsOf(o); }, op);
}

// Names that the design has for later versions, or that other tools have, mean something to people.
absl::Status UnknownOperator(absl::string_view name) {
  std::vector<std::string> known;
  for (const Op& op : AllOperators()) known.push_back(NameOf(op));
  const std::string list = absl::StrJoin(known, ", ");
  for (absl::string_view planned :
       {"conv1d", "conv3d", "conv2d_transpose", "conv3d_transpose", "einsum"}) {
    if (name == planned) {
      return absl::InvalidArgumentError(absl::StrCat(
          "operator ", name, " is not supported yet by this version, which has ", list));
    }
  }
  const std::vector<Alias> aliases = {{"gemm", "matmul"},
                                      {"dense", "matmul"},
                                      {"linear", "matmul"},
                                      {"batch_matmul", "matmul:...,batch="},
                                      {"conv", "conv2d"},
                                      {"depthwise", "conv2d:...,groups=ic"},
                                      {"depthwise_conv2d", "conv2d:...,groups=ic"},
                                      {"group_conv2d", "conv2d:...,groups="}};
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown operator ", base::Quoted(name), Suggest(name, known, aliases), " There are ", list));
}

absl::Status CheckWork(const Op& op) {
  const double work = std::visit([](const auto& o) { return MultiplyAdds(o); }, op);
  if (work <= kMaxMultiplyAdds) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("it needs ", work, " multiply-adds, the most is ", kMaxMultiplyAdds));
}

// A copy of an end that later rewrites know nothing of is none.
absl::Status CheckOrder(const Algorithm& algorithm) {
  const std::vector<Rewrite>& rewrites = algorithm.rewrites;
  for (size_t i = 0; i + 1 < rewrites.size(); ++i) {
    if (std::holds_alternative<Convert>(rewrites[i]) &&
        !std::holds_alternative<Convert>(rewrites[i + 1])) {
      return absl::InvalidArgumentError(absl::StrCat(Print(rewrites[i]), " stands before others"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Workload> Parse(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) {
    return absl::InvalidArgumentError("the workload is empty; write e.g. matmul:m=512,n=512,k=512");
  }
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the workload has ", text.size(), " bytes, the most is ", kMaxTextBytes));
  }
  // Fused tails follow the operator's attributes: "conv2d:n=1,..;bias;relu".
  const size_t tail = text.find(';');
  const absl::string_view head = text.substr(0, tail);
  const size_t colon = head.find(':');
  const absl::string_view name = absl::StripAsciiWhitespace(head.substr(0, colon));
  const auto known = std::find_if(AllOperators().begin(), AllOperators().end(),
                                  [&](const Op& op) { return NameOf(op) == name; });
  if (known == AllOperators().end()) return UnknownOperator(name);
  if (tail != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": the fused tail ", base::Quoted(text.substr(tail)),
                     " is not supported yet by this version; leave it out to tune the operator"));
  }
  Workload workload{*known};
  const absl::string_view attributes =
      colon == absl::string_view::npos ? "" : head.substr(colon + 1);
  if (absl::Status status = ParseFields(attributes, FieldsOf(workload.op)); !status.ok()) {
    return base::Annotate(status, name);
  }
  ALT_RETURN_IF_ERROR(Validate(workload));
  return workload;
}

std::string Print(const Workload& workload) {
  Op op = workload.op;  // fields point to what may be written
  return absl::StrCat(NameOf(op), ":", PrintFields(FieldsOf(op)));
}

std::string Key(const Workload& workload) { return base::Sha256Hex(Print(workload)); }

absl::Status Validate(const Workload& workload) {
  Op op = workload.op;
  absl::Status status = CheckFields(FieldsOf(op));
  if (status.ok()) status = std::visit([](const auto& o) { return CheckShapes(o); }, op);
  if (status.ok()) status = CheckWork(op);
  return base::Annotate(status, NameOf(op));
}

double Flops(const Workload& workload) {
  return 2 * std::visit([](const auto& op) { return MultiplyAdds(op); }, workload.op);
}

double LeastFlops(const Workload& workload, const Algorithm& algorithm) {
  const Algorithm computation = PartsOf(algorithm).computation;
  return 2 * std::visit([&](const auto& op) { return LeastMultiplyAdds(op, computation); },
                        workload.op);
}

double CompulsoryBytes(const Workload& workload) {
  return sizeof(float) *
         std::visit([](const auto& op) { return CompulsoryElements(op); }, workload.op);
}

std::vector<OperatorHelp> Operators() {
  std::vector<OperatorHelp> help;
  for (Op op : AllOperators()) {
    const char* meaning = std::visit([](const auto& o) { return MeaningOf(o); }, op);
    help.push_back({NameOf(op), DescribeFields(FieldsOf(op)), meaning});
  }
  return help;
}

absl::StatusOr<te::Graph> MakeGraph(const Workload& workload, const Algorithm& algorithm) {
  const Parts parts = PartsOf(algorithm);
  absl::StatusOr<te::Graph> graph =
      std::visit([&](const auto& op) { return MakeGraph(op, parts.computation); }, workload.op);
  if (const absl::Status order = CheckOrder(algorithm); !order.ok()) graph = order;
  for (const Convert& convert : parts.conversions) {
    if (graph.ok()) graph = te::Convert(*std::move(graph), convert.tensor);
  }
  if (graph.ok()) return graph;
  return base::Annotate(graph.status(), absl::StrCat("algorithm ", Print(algorithm),
                                                     " does not apply to ", Print(workload)));
}

std::vector<Algorithm> Algorithms(const Workload& workload) {
  return std::visit([](const auto& op) { return AlgorithmsOf(op); }, workload.op);
}

}  // namespace alt::workload
