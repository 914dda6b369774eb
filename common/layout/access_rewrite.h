#ifndef COMMON_LAYOUT_ACCESS_REWRITE_H_
#define COMMON_LAYOUT_ACCESS_REWRITE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "common/layout/layout.h"
#include "common/te/stage.h"

namespace alt::layout {

// Variables of a reader: ranges of all, and which of them are reduction axes. A read index is a
// sliding access v*i + r when its non-reduction part is v*i and its reduction part r (technique.md
// 1.2); unfold chooses tile and element from the two parts.
struct AccessContext {
  ir::RangeMap ranges;
  absl::flat_hash_set<const ir::VarNode*> reduction;
};

// The physical index of a read at logical `indices`, simplified under context.ranges. The read is
// taken to be within the tensor wherever it is evaluated.
// FailedPrecondition with the reason when an unfold cannot serve the access (the window does not
// fit its tiles), or when a primitive that drops cells (unpad, fold, an unfold with gaps) may have
// dropped the one that is read, or when the index gets too long (ir/limits.h).
absl::StatusOr<Indices> RewriteRead(const BoundLayout& layout, const Indices& indices,
                                    const AccessContext& context);
// The same, simplified only where it is long: for callers that substitute first.
absl::StatusOr<Indices> MapRead(const BoundLayout& layout, const Indices& indices,
                                const AccessContext& context);

// Rewrites a graph to physical tensors: every tensor with a layout gets a buffer of its physical
// shape (same name and role); a writer's spatial axes become the physical dimensions (named by
// PhysicalNames) with logical axes substituted by ToLogical, cells without data are written as zero
// (body becomes select(holds_data, body, 0), and holds_data also guards the reads); readers map
// accesses with RewriteRead. Tensors without an entry are plain and keep their buffers. External
// inputs accept only split, reorder and fuse (design.md 3.2); constants and computed tensors accept
// all, the output all that keep every cell. InvalidArgument for an unknown tensor or a layout that
// does not apply, FailedPrecondition for an access that a layout cannot serve.
absl::StatusOr<te::Graph> ApplyLayouts(const te::Graph& graph,
                                       const std::map<std::string, Layout>& layouts);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_ACCESS_REWRITE_H_
