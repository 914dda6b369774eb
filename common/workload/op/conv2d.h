// What workload.cc needs of an operator; op/matmul.h has the same functions.
#ifndef COMMON_WORKLOAD_OP_CONV2D_H_
#define COMMON_WORKLOAD_OP_CONV2D_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/te/stage.h"
#include "common/workload/algorithm.h"
#include "common/workload/field.h"
#include "common/workload/workload.h"

namespace alt::workload {

// Name in the text, and what it does, for `alt ops`.
const char* NameOf(const Conv2d&);
const char* MeaningOf(const Conv2d&);
// The attributes, pointing into `op`.
Fields FieldsOf(Conv2d& op);
// What the bounds of single fields do not say: that shapes fit together and are not too large.
absl::Status CheckShapes(const Conv2d& op);
double MultiplyAdds(const Conv2d& op);
// What the algorithm cannot do without: taps outside the input may be skipped.
double LeastMultiplyAdds(const Conv2d& op, const Algorithm& algorithm);
// Elements of external tensors that a kernel must read or write.
double CompulsoryElements(const Conv2d& op);
absl::StatusOr<te::Graph> MakeGraph(const Conv2d& op, const Algorithm& algorithm);
std::vector<Algorithm> AlgorithmsOf(const Conv2d& op);

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_OP_CONV2D_H_
