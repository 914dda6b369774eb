// Conversions between a plain tensor and a layout.
#ifndef COMMON_LAYOUT_CONVERSION_H_
#define COMMON_LAYOUT_CONVERSION_H_

#include "absl/status/statusor.h"
#include "common/layout/layout.h"
#include "common/te/stage.h"

namespace alt::layout {

// The stage that copies a plain tensor into `layout`: an ordinary stage of an ordinary graph. Its
// input is the tensor's buffer, its output has the physical shape and the name <tensor>_packed; the
// stage is pack_<tensor>. Every cell is written, those without data as zero.
// InvalidArgument when the layout does not apply.
absl::StatusOr<te::Graph> PackGraph(const te::Tensor& tensor, const Layout& layout);

// The stage that copies back, unpack_<tensor>: from a buffer as PackGraph writes it into the
// tensor's. FailedPrecondition when the layout dropped cells.
absl::StatusOr<te::Graph> UnpackGraph(const te::Tensor& tensor, const Layout& layout);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_CONVERSION_H_
