// Layouts of a workload's tensors in the words of people, who know dimensions by name.
#ifndef COMMON_WORKLOAD_LAYOUT_TEXT_H_
#define COMMON_WORKLOAD_LAYOUT_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/layout/layout.h"
#include "common/te/stage.h"
#include "common/workload/workload.h"

namespace alt::workload {

// A name for each dimension of a tensor: what indexes it where it is written or, for an external
// tensor, first read. "n c h w" for the input of a convolution, "o i kh kw" for its filter.
std::vector<std::string> DimNames(const te::Graph& graph, const te::Tensor& tensor);

// A layout of a tensor of the workload as it is defined: "plain", primitives ("split(1,8)
// reorder(0,1,3,4,2)") or their block form ("N C/8 H W 8c", "NHWC"; layout::ParseBlocks). Checked
// against the tensor's shape. InvalidArgument says what was expected; for an unknown tensor, which
// there are.
absl::StatusOr<layout::Layout> ParseLayoutFor(const Workload& workload, const std::string& tensor,
                                              absl::string_view text);

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_LAYOUT_TEXT_H_
