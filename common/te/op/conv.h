// Convolutions in their logical form.
#ifndef COMMON_TE_OP_CONV_H_
#define COMMON_TE_OP_CONV_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/te/stage.h"

namespace alt::te {

// One spatial axis of a convolution, with the meaning of ONNX Conv.
struct ConvAxis {
  int64_t input = 1, kernel = 1;
  int64_t stride = 1, pad_begin = 0, pad_end = 0, dilation = 1;

  // Inputs from the first to the last tap, both included.
  int64_t window() const { return (kernel - 1) * dilation + 1; }
  int64_t output() const { return (input + pad_begin + pad_end - window()) / stride + 1; }
  // What of the padded input is read. Cropping to it makes the tiles of an unfolded input match
  // those of the output (docs/layout.md#reading-an-unfolded-tensor).
  int64_t padded() const { return stride * (output() - 1) + window(); }
};

// x [n,ic,spatial...], w [oc,ic/groups,kernels...], y [n,oc,spatial...]. One to three spatial axes,
// named by the last ones of d, h, w. Every extent is positive, the window fits the padded input,
// groups divides ic and oc (ALT_CHECK).
struct ConvSpec {
  int64_t n = 1, ic = 1, oc = 1, groups = 1;
  std::vector<ConvAxis> axes;
};

// Two stages (for two spatial axes):
//   pad   xp[n,c,h,w] = x[n, c, h-pad, w-pad], zero outside of x; an identity copy without padding
//   conv  y[n,o,h,w] = sum over ic (of a group), kh, kw of
//                      xp[n, floordiv(o, oc/groups)*(ic/groups) + ic, h*stride + kh*dilation, ..]
//                      * w[o, ic, kh, kw]
// Tensors x, w (constant), y, xp.
Graph MakeConv(const ConvSpec& spec);

// Parts that rewrites of a convolution share.

// ALT_CHECKs the conditions of ConvSpec.
void CheckSpec(const ConvSpec& spec);
// Names of the spatial axes: "w"; "h", "w"; "d", "h", "w".
std::vector<std::string> SpatialNames(const ConvSpec& spec);
ir::Buffer ConvInput(const ConvSpec& spec);
ir::Buffer ConvFilter(const ConvSpec& spec);
ir::Buffer ConvOutput(const ConvSpec& spec);
// The stage "pad" for a padded input of the given spatial extents.
Stage MakePadStage(const ConvSpec& spec, const ir::Buffer& x, const std::vector<int64_t>& extents);

}  // namespace alt::te

#endif  // COMMON_TE_OP_CONV_H_
