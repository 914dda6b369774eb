// Copies between an external tensor and the stages that use it.
#ifndef COMMON_TE_OP_CONVERT_H_
#define COMMON_TE_OP_CONVERT_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/te/stage.h"

namespace alt::te {

// The graph with a tensor T of its own at one end, so that a caller's layout of the end and the
// layout that the kernel wants are two:
//   an input T    stage "convert_T" copies it to T_c, which all readers of T read instead
//   the output T  its stage writes T_c, and "convert_T", the new last stage, copies that to T
// The copy is a stage like any other: layouts and loops are chosen for it, and it is timed.
// InvalidArgument for a tensor that is no input or output: constants are packed ahead of time, and
// tensors between stages have the layout that the graph wants anyway.
absl::StatusOr<Graph> Convert(Graph graph, const std::string& tensor);

}  // namespace alt::te

#endif  // COMMON_TE_OP_CONVERT_H_
