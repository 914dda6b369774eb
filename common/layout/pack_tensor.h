// Packing of data, as opposed to programs that pack (conversion.h): what a tensor's memory holds
// under a layout. For checks and for tensors that are packed once; about 1 ns an element.
#ifndef COMMON_LAYOUT_PACK_TENSOR_H_
#define COMMON_LAYOUT_PACK_TENSOR_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "common/layout/layout.h"

namespace alt::layout {

// Calls body(begin, end) for ranges that together are [0, n), perhaps at once from several threads.
using ForRanges =
    absl::FunctionRef<void(int64_t n, absl::FunctionRef<void(int64_t begin, int64_t end)> body)>;

// The physical tensor, row-major, of a logical one (row-major, of layout.logical_shape()). Writes
// every cell; those that hold no data become zero. The sizes are those of the shapes. `ranges` says
// who copies.
void PackTensor(const BoundLayout& layout, absl::Span<const float> logical,
                absl::Span<float> physical, ForRanges ranges);
// The same on the calling thread.
void PackTensor(const BoundLayout& layout, absl::Span<const float> logical,
                absl::Span<float> physical);

// Back again. Cells that the layout dropped (unpad, unfold with gaps) become zero.
void UnpackTensor(const BoundLayout& layout, absl::Span<const float> physical,
                  absl::Span<float> logical);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_PACK_TENSOR_H_
