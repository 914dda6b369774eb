// What a stage is and what its axes are to each other, read from its body: all that the rules of
// the space know of an operator.

#ifndef SERVER_SEARCH_SPACE_ROLE_H_
#define SERVER_SEARCH_SPACE_ROLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/te/stage.h"

namespace alt::search {

// kContraction  sums products of two tensors: convolutions, products of matrices
// kReduction    combines values of one tensor: pooling
// kTransform    sums a tensor's values weighted by a table of constants: Winograd's stages
// kElementwise  no reduction: padding, tails, copies between layouts
enum class StageRole : uint8_t { kContraction, kReduction, kTransform, kElementwise };

// Of a contraction's axis. "Follows": an index of the operand depends on the axis.
// spatial    kRow     the data follow it, the filter does not: rows of a matrix, positions, images
//            kColumn  the filter follows it, the data do not, or only from group to group:
//                     output channels, columns of a matrix
//            kBatch   both follow it: depthwise channels, batched matrices
// reduction  kDepth   alone in its dimension of the data: input channels, k
//            kWindow  slides with a spatial axis: taps
// A reduction or elementwise stage has no filter: its spatial axes are rows.
enum class AxisPart : uint8_t { kRow, kColumn, kBatch, kDepth, kWindow };

// How an operand's index depends on an axis: step * floordiv(axis, divisor) in one dimension.
struct AxisUse {
  int dim = -1;  // of the operand; -1: in none
  int64_t step = 0;
  int64_t divisor = 1;
  bool regular = true;  // false: in another form, or in several dimensions
  bool used() const { return dim >= 0; }
};

struct AxisRole {
  std::string name;
  int64_t extent = 1;
  AxisPart part = AxisPart::kRow;
  bool slides = false;  // a spatial axis that shares a dimension of the data with a window
  AxisUse data, filter;
};

// The operand of a contraction that streams through (rows times depth), and the one that is kept
// (depth times columns). Of the two the constant is the filter; else the second one.
struct Operand {
  ir::Buffer tensor;  // null: none
  bool defined() const { return tensor != nullptr; }
};

struct StageRoles {
  StageRole role = StageRole::kElementwise;
  Operand data, filter;
  std::vector<AxisRole> spatial, reduction;  // in the order of the stage

  bool is_core() const { return role == StageRole::kContraction || role == StageRole::kReduction; }
};

StageRoles RolesOf(const te::Graph& graph, const te::Stage& stage);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_ROLE_H_
