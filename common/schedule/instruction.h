#ifndef COMMON_SCHEDULE_INSTRUCTION_H_
#define COMMON_SCHEDULE_INSTRUCTION_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace alt::schedule {

// Loop instructions. Axes are named within their stage; a stage starts with one loop for each
// spatial axis of its (physical) output, then one for each reduction axis.

// split(conv.h, 4, 2): h -> h.0 h.1 h.2 of extents ceil(E/8), 4, 2. A remainder shortens the last
// iterations.
struct Split {
  std::string stage, axis;
  std::vector<int64_t> factors;  // inner factors, outermost first
  friend bool operator==(const Split&, const Split&) = default;
};
// fuse(conv.n, conv.h): neighbours, outer first -> one loop named n_h.
struct Fuse {
  std::string stage;
  std::vector<std::string> axes;
  friend bool operator==(const Fuse&, const Fuse&) = default;
};
// reorder(conv: n h.0 kh h.1): the named loops take the places they hold together, in this order.
struct Reorder {
  std::string stage;
  std::vector<std::string> axes;
  friend bool operator==(const Reorder&, const Reorder&) = default;
};
// compute_at(pad, conv.h.0): pad computes what one iteration of conv.h.0 reads, inside it. Its axes
// then run over that region. Must precede other instructions on `stage`; afterwards the loops of
// the target stage down to the axis are fixed.
struct ComputeAt {
  std::string stage;
  std::string target_stage, target_axis;
  friend bool operator==(const ComputeAt&, const ComputeAt&) = default;
};
// inline(pad): the body takes the place of every read; only for stages without reduction.
struct Inline {
  std::string stage;
  friend bool operator==(const Inline&, const Inline&) = default;
};
// parallel(conv.h): iterations run on the thread pool. One loop of a stage that is not computed
// inside another; no reduction, vectorized or unrolled loop around it.
struct Parallel {
  std::string stage, axis;
  friend bool operator==(const Parallel&, const Parallel&) = default;
};
// vectorize(conv.o.1) or vectorize(conv.o.1, 8): vectors of at most `lanes` lanes (0: the
// target's). One loop of a stage, and no reduction.
struct Vectorize {
  std::string stage, axis;
  int64_t lanes = 0;
  friend bool operator==(const Vectorize&, const Vectorize&) = default;
};
// unroll(conv.w.1)
struct Unroll {
  std::string stage, axis;
  friend bool operator==(const Unroll&, const Unroll&) = default;
};
// transpose(copy.c, copy.w): what the two innermost loops of a stage read along one of them and
// store along the other is transposed in vector registers, in square blocks as large as both loops
// and the target's vectors allow; where they do not divide a loop, its last block begins earlier.
// No reduction, and no other vectors in the stage. Reads and stores have to be such (LowerToLoops).
struct Transpose {
  std::string stage;
  std::string axis, other_axis;  // either may be the one of the stores
  friend bool operator==(const Transpose&, const Transpose&) = default;
};
// prefetch(conv.ic, w, 16): at each iteration of the loop, hint what the stage's read of tensor w
// touches `distance` iterations ahead, 1 to 4096. Loops with hints are neither split nor fused.
struct Prefetch {
  std::string stage, axis, tensor;
  int64_t distance = 1;
  friend bool operator==(const Prefetch&, const Prefetch&) = default;
};

using Instruction = std::variant<Split, Fuse, Reorder, ComputeAt, Inline, Parallel, Vectorize,
                                 Unroll, Transpose, Prefetch>;

}  // namespace alt::schedule

#endif  // COMMON_SCHEDULE_INSTRUCTION_H_
