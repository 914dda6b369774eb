#ifndef COMMON_LAYOUT_ACCESS_REWRITE_H_
#define COMMON_LAYOUT_ACCESS_REWRITE_H_

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "common/layout/layout.h"

namespace alt::layout {

// Variables of a reader: ranges of all, and which of them are reduction axes. A read index is a
// sliding access v*i + r when its non-reduction part is v*i and its reduction part r
// (docs/layout.md#reading-an-unfolded-tensor); unfold chooses tile and element from the two parts.
struct AccessContext {
  ir::RangeMap ranges;
  absl::flat_hash_set<const ir::VarNode*> reduction;
};

// The physical index of a read at logical `indices`, simplified under context.ranges only where it
// is long: callers substitute first. The read is taken to be within the tensor wherever it is
// evaluated.
// FailedPrecondition with the reason when an unfold cannot serve the access (the window does not
// fit its tiles), when a primitive that drops cells (unpad, fold, an unfold with gaps) may have
// dropped the one that is read, or when the index gets too long (ir/limits.h).
absl::StatusOr<Indices> MapRead(const BoundLayout& layout, const Indices& indices,
                                const AccessContext& context);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_ACCESS_REWRITE_H_
