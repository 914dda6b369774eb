// Packing of data, as opposed to programs that pack (conversion.h): what a tensor's memory holds
// under a layout. For checks and for tensors that are packed once; about 1 ns an element.
#ifndef COMMON_LAYOUT_PACK_TENSOR_H_
#define COMMON_LAYOUT_PACK_TENSOR_H_

#include "absl/types/span.h"
#include "common/layout/layout.h"

namespace alt::layout {

// The physical tensor, row-major, of a logical one (row-major, of layout.logical_shape()). Writes
// every cell; those that hold no data become zero. The sizes are those of the shapes.
void PackTensor(const BoundLayout& layout, absl::Span<const float> logical,
                absl::Span<float> physical);

// Back again. Cells that the layout dropped (unpad, unfold with gaps) become zero.
void UnpackTensor(const BoundLayout& layout, absl::Span<const float> physical,
                  absl::Span<float> logical);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_PACK_TENSOR_H_
