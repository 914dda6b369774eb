// The pass from logical to physical tensors.
#ifndef COMMON_LAYOUT_APPLY_LAYOUTS_H_
#define COMMON_LAYOUT_APPLY_LAYOUTS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "common/layout/layout.h"
#include "common/te/stage.h"

namespace alt::layout {

// Rewrites a graph to physical tensors: every tensor with a layout gets a buffer of its physical
// shape (same name and role); a writer's spatial axes become the physical dimensions (named by
// PhysicalNames) with logical axes substituted by ToLogical, cells without data are written as zero
// (body becomes select(holds_data, body, 0), and holds_data also guards the reads); readers map
// accesses with MapRead. Tensors without an entry are plain and keep their buffers. External
// inputs accept only split, reorder and fuse (docs/layout.md#what-is-timed); constants and computed
// tensors accept all, the output all that keep every cell. InvalidArgument for an unknown tensor or
// a layout that does not apply, FailedPrecondition for an access that a layout cannot serve and for
// expressions that get too long (ir/limits.h).
absl::StatusOr<te::Graph> ApplyLayouts(const te::Graph& graph,
                                       const std::map<std::string, Layout>& layouts);

// The same without the rules about what external tensors and outputs may be: packing writes any
// layout to an output and unpacking reads any from an input.
absl::StatusOr<te::Graph> RewriteGraph(const te::Graph& graph,
                                       const std::map<std::string, Layout>& layouts);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_APPLY_LAYOUTS_H_
