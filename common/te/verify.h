#ifndef COMMON_TE_VERIFY_H_
#define COMMON_TE_VERIFY_H_

#include "absl/status/status.h"
#include "common/te/stage.h"

namespace alt::te {

// The invariants of stage.h: names are unique (tensors, stages, axes of a stage); a stage's output
// has one dimension of the right extent for each spatial axis; bodies use the stage's axes only and
// read tensors that are external or written by an earlier stage; each tensor has at most one writer
// and the role that fits; the last stage writes the only output. An error is a bug of who made the
// graph: Internal, naming the stage and the reason. Shown by tests/common/te/verify_test.cc.
absl::Status Verify(const Graph& graph);

}  // namespace alt::te

#endif  // COMMON_TE_VERIFY_H_
