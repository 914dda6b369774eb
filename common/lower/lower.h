#ifndef COMMON_LOWER_LOWER_H_
#define COMMON_LOWER_LOWER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ir/module.h"
#include "common/layout/layout.h"
#include "common/target/target.h"
#include "common/te/stage.h"
#include "common/workload/candidate.h"

namespace alt::lower {

// One parameter of a kernel: external tensors in the order of the graph, the output last. A
// constant that stages compute ahead of time (a filter transform) stands here in place of what it
// is made of.
struct Parameter {
  te::Tensor tensor;      // logical
  layout::Layout layout;  // logical -> physical
  ir::Buffer buffer;      // physical, kParam
};

struct Kernel {
  ir::Module module;  // functions[0].params are the buffers of `params`, in order
  std::vector<Parameter> params;
};

// Candidate -> loop IR, ready for code generation (vectorized and unrolled). InvalidArgument or
// FailedPrecondition says which layout or instruction does not apply and why.
absl::StatusOr<Kernel> Lower(const workload::Workload& workload,
                             const workload::Candidate& candidate, const target::Target& target,
                             const std::string& name = "kernel");

// The same of what LowerToLoops made.
absl::StatusOr<Kernel> Lower(Kernel loops, const target::Target& target);

// Only up to the point where features are read: before unrolling and vectorizing. Fast (0.2 ms
// for a convolution); for search and for `alt show --loops`.
absl::StatusOr<Kernel> LowerToLoops(const workload::Workload& workload,
                                    const workload::Candidate& candidate,
                                    const std::string& name = "kernel");

// How much the code generator will be given of what LowerToLoops made (expanded_size.h), which says
// how long it compiles.
int64_t ExpandedSize(const Kernel& loops, const target::Target& target);
// FailedPrecondition when that is so much that Lower refuses it: it would compile for seconds and
// never win.
absl::Status CheckSize(const Kernel& loops, const target::Target& target);

// Every stage one after the other in its plain form, sums in double, on the target's threads; plain
// layouts unless the graph's buffers say otherwise: the reference for checks, and what packs
// tensors and computes constants ahead of time. Parameters: the graph's external tensors, then its
// output.
absl::StatusOr<ir::Module> LowerNaive(const te::Graph& graph, const target::Target& target,
                                      const std::string& name);

// The stages of the candidate's graph that run ahead of time, as a graph of their own whose output
// is `tensor`; its inputs are external constants.
absl::StatusOr<te::Graph> AheadGraph(const te::Graph& graph, const std::string& tensor);

}  // namespace alt::lower

#endif  // COMMON_LOWER_LOWER_H_
