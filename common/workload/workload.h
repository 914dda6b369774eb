#ifndef COMMON_WORKLOAD_WORKLOAD_H_
#define COMMON_WORKLOAD_WORKLOAD_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/te/stage.h"
#include "common/workload/algorithm.h"

namespace alt::workload {

// conv2d:n=,ic=,ih=,iw=,oc=,kh=,kw=,stride=1,pad=0,dilation=1,groups=1,dtype=f32. Attributes with
// one value for each spatial axis (h, w). Shapes follow ONNX Conv: x [n,ic,ih,iw],
// w [oc,ic/groups,kh,kw], y [n,oc,oh,ow].
struct Conv2d {
  int64_t n = 1, ic = 1, ih = 1, iw = 1, oc = 1, kh = 1, kw = 1;
  int64_t stride[2] = {1, 1};
  int64_t pad_begin[2] = {0, 0};
  int64_t pad_end[2] = {0, 0};
  int64_t dilation[2] = {1, 1};
  int64_t groups = 1;
  friend bool operator==(const Conv2d&, const Conv2d&) = default;
};
// matmul:m=,n=,k=,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32. a [batch,m,k] (trans_a:
// [batch,k,m]), b [batch,k,n] (trans_b: [batch,n,k]), c [batch,m,n]; the batch dimension is absent
// when batch == 1.
struct Matmul {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  bool trans_a = false, trans_b = false;
  bool const_b = true;  // b is a constant: packed ahead of time
  friend bool operator==(const Matmul&, const Matmul&) = default;
};

// What is tuned. A value; checked by Parse and Validate.
struct Workload {
  std::variant<Conv2d, Matmul> op;
  friend bool operator==(const Workload&, const Workload&) = default;
};

// Parses the text form of docs/formats.md#workload: any order, defaults may be left out.
// InvalidArgument names the attribute, the reason and, for an unknown name, the closest known one;
// sizes are bounded so that no shape arithmetic overflows.
absl::StatusOr<Workload> Parse(absl::string_view text);
// Canonical text: every attribute in the order of `alt ops`, equal axes collapsed.
std::string Print(const Workload& workload);
// SHA-256 (hex) of the canonical text.
std::string Key(const Workload& workload);
absl::Status Validate(const Workload& workload);

// FLOPs: 2 x multiply-adds of the logical form, padding counted.
double Flops(const Workload& workload);
// FLOPs that no program of the algorithm can do without: taps that meet padding may be skipped.
double LeastFlops(const Workload& workload, const Algorithm& algorithm = {});
// Bytes that a kernel must read and write: of all external tensors, each once, without inputs of a
// convolution that no tap reads.
double CompulsoryBytes(const Workload& workload);

// One line for each operator with its attributes and defaults, for `alt ops` and error messages.
struct OperatorHelp {
  std::string name, attributes, meaning;
};
std::vector<OperatorHelp> Operators();

// The logical stages of a valid workload, by its definition or under an algorithm. InvalidArgument
// says why an algorithm does not apply.
absl::StatusOr<te::Graph> MakeGraph(const Workload& workload, const Algorithm& algorithm = {});
// Algorithms that apply and may pay, the definition first: a search tries these. MakeGraph takes
// others, whose tiles are larger or save little.
std::vector<Algorithm> Algorithms(const Workload& workload);

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_WORKLOAD_H_
