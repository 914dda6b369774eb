// As op/conv2d.h.
#ifndef COMMON_WORKLOAD_OP_MATMUL_H_
#define COMMON_WORKLOAD_OP_MATMUL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/te/stage.h"
#include "common/workload/algorithm.h"
#include "common/workload/field.h"
#include "common/workload/workload.h"

namespace alt::workload {

const char* NameOf(const Matmul&);
const char* MeaningOf(const Matmul&);
Fields FieldsOf(Matmul& op);
absl::Status CheckShapes(const Matmul& op);
double MultiplyAdds(const Matmul& op);
double LeastMultiplyAdds(const Matmul& op, const Algorithm& algorithm);
double CompulsoryElements(const Matmul& op);
absl::StatusOr<te::Graph> MakeGraph(const Matmul& op, const Algorithm& algorithm);
std::vector<Algorithm> AlgorithmsOf(const Matmul& op);

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_OP_MATMUL_H_
