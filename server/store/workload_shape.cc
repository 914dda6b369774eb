#include "server/store/workload_shape.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace alt::store {
namespace {

std::vector<double> ParseValues(absl::string_view text) {
  std::vector<double> values;
  for (const absl::string_view part : absl::StrSplit(text, 'x')) {
    double value;
    if (!absl::SimpleAtod(part, &value)) return {};
    values.push_back(value);
  }
  return values;
}

double Weight(absl::string_view name) {
  static constexpr absl::string_view kStructural[] = {
      "kd", "kh", "kw", "stride", "dilation", "groups", "trans_a", "trans_b", "const_b"};
  for (const absl::string_view structural : kStructural) {
    if (name == structural) return 4;
  }
  return name == "n" || name == "batch" ? 0.5 : 1;
}

// Equal axes are collapsed in the text: "1" stands for "1x1" too.
double ValueAt(const std::vector<double>& values, size_t i) {
  return i < values.size() ? values[i] : values.back();
}

double AttributeDistance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const double x = ValueAt(a, i), y = ValueAt(b, i);
    // One more, only where it must be: pads and flags may be 0.
    const double shift = x <= 0 || y <= 0 ? 1 : 0;
    sum += std::abs(std::log2(x + shift) - std::log2(y + shift));
  }
  return sum;
}

}  // namespace

WorkloadShape WorkloadShape::Parse(absl::string_view text) {
  WorkloadShape shape;
  const size_t tail = text.find(';');
  if (tail != absl::string_view::npos) shape.tail = std::string(text.substr(tail));
  text = text.substr(0, tail);
  const size_t colon = text.find(':');
  shape.op = std::string(text.substr(0, colon));
  if (colon == absl::string_view::npos) return shape;
  for (const absl::string_view part : absl::StrSplit(text.substr(colon + 1), ',')) {
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    Attribute attribute{.name = std::string(field.first), .values = ParseValues(field.second)};
    if (attribute.values.empty()) attribute.word = std::string(field.second);
    shape.attributes.push_back(std::move(attribute));
  }
  return shape;
}

std::optional<double> ShapeDistance(const WorkloadShape& a, const WorkloadShape& b) {
  if (a.op != b.op || a.attributes.size() != b.attributes.size()) return std::nullopt;
  double sum = a.tail == b.tail ? 0 : 1;
  for (size_t i = 0; i < a.attributes.size(); ++i) {
    const auto& x = a.attributes[i];
    const auto& y = b.attributes[i];
    if (x.name != y.name || x.word != y.word) return std::nullopt;
    if (!x.values.empty()) sum += Weight(x.name) * AttributeDistance(x.values, y.values);
  }
  return sum;
}

}  // namespace alt::store
