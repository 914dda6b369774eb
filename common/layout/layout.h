#ifndef COMMON_LAYOUT_LAYOUT_H_
#define COMMON_LAYOUT_LAYOUT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/ir/interval.h"
#include "common/layout/primitive.h"

namespace alt::layout {

inline constexpr int kMaxPrimitives = 64;  // of one layout

// A layout: primitives applied in order to a tensor's logical shape. A value; the empty list is the
// plain row-major layout.
struct Layout {
  std::vector<Primitive> primitives;
  friend bool operator==(const Layout&, const Layout&) = default;
};

// "split(1,16) reorder(0,2,3,1,4)"; "" for the plain layout. Parse(Print(l)) == l.
std::string Print(const Layout& layout);
// InvalidArgument for what is none or past the limits (above; ir/limits.h): the call and what was
// expected.
absl::StatusOr<Layout> Parse(absl::string_view text);

// Block form for display: "N H/4 W/14 O/32 4h 14w 32o" (names: of the logical dimensions).
std::string PrintBlocks(const Layout& layout, const Shape& shape,
                        const std::vector<std::string>& names);
// The layout that a block form shows, as splits, a reorder and fuses: the inverse of PrintBlocks as
// far as these can express it. Several inner blocks of a dimension nest in the order in which they
// stand. Without spaces where every name is a letter: "NHWC"; the size below an outer dimension may
// be left out: "NCHW16c". InvalidArgument names the part and what was expected.
absl::StatusOr<Layout> ParseBlocks(absl::string_view text, const std::vector<std::string>& names);

// A layout checked against a logical shape.
class BoundLayout {
 public:
  // InvalidArgument when a primitive does not apply, naming it and the reason. FailedPrecondition
  // when whether it does takes too much to see.
  static absl::StatusOr<BoundLayout> Create(Layout layout, Shape logical_shape);

  const Layout& layout() const { return layout_; }
  const Shape& logical_shape() const { return shapes_.front(); }
  const Shape& physical_shape() const { return shapes_.back(); }
  // shapes()[i] is the shape before primitive i; the last one is the physical shape.
  const std::vector<Shape>& shapes() const { return shapes_; }
  bool has_expanding() const;

  // FailedPrecondition when one gets too long: fusing what was split doubles it.
  absl::StatusOr<std::vector<std::string>> PhysicalNames(
      const std::vector<std::string>& names) const;
  // What the cell at physical indices within `ranges` stands for; simplified where it is long.
  // FailedPrecondition, naming the primitive, when it is too long still (ir/limits.h).
  absl::StatusOr<LogicalCell> ToLogical(const Indices& physical, const ir::RangeMap& ranges) const;

 private:
  BoundLayout(Layout layout, std::vector<Shape> shapes)
      : layout_(std::move(layout)), shapes_(std::move(shapes)) {}
  // Whether `fold` may follow.
  absl::Status CheckFold(const Fold& fold) const;

  Layout layout_;
  std::vector<Shape> shapes_;
};

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_LAYOUT_H_
