// Layouts on the wire.
#ifndef COMMON_WIRE_LAYOUT_WIRE_H_
#define COMMON_WIRE_LAYOUT_WIRE_H_

#include "absl/status/statusor.h"
#include "alt/v1/layout.pb.h"
#include "common/layout/layout.h"

namespace alt::wire {

v1::LayoutPrimitive ToProto(const layout::Primitive& primitive);
v1::Layout ToProto(const layout::Layout& layout);

// InvalidArgument for a missing alternative or a number out of bounds (bounds.h). Whether the
// layout applies to a shape is for layout::BoundLayout to say.
absl::StatusOr<layout::Primitive> FromProto(const v1::LayoutPrimitive& primitive);
absl::StatusOr<layout::Layout> FromProto(const v1::Layout& layout);

}  // namespace alt::wire

#endif  // COMMON_WIRE_LAYOUT_WIRE_H_
