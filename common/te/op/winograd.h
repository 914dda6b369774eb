// Convolution by minimal filtering: fewer multiplications, more additions.
#ifndef COMMON_TE_OP_WINOGRAD_H_
#define COMMON_TE_OP_WINOGRAD_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/te/op/conv.h"
#include "common/te/stage.h"

namespace alt::te {

// Whether winograd(mh,mw) computes the convolution. InvalidArgument says why not: it is for two
// spatial axes of stride 1 and dilation 1, one group, and tiles with m + kernel - 1 <= kMaxAlpha on
// each axis.
absl::Status CheckWinograd(const ConvSpec& spec, int64_t mh, int64_t mw);

// F(mh x mw, kh x kw): output tiles of mh x mw elements, TY x TX of them an image, each from a
// patch of A x B = (mh+kh-1) x (mw+kw-1) inputs. t = (n*TY + ty)*TX + tx counts tiles. Stages:
//   pad  xp[n,c,h,w]       padded until every patch is inside
//   row  d1[n,c,ty,a,w]    sum over i of bt_h[a,i] * xp[n,c,ty*mh+i,w]
//   col  v[a,b,c,t]        sum over j of bt_w[b,j] * d1[n(t),c,ty(t),a,tx(t)*mw+j]
//   f1   f1[o,c,a,kw]      sum over kh of g_h[a,kh] * w[o,c,kh,kw]       ahead of time
//   u    u[a,b,o,c]        sum over kw of g_w[b,kw] * f1[o,c,a,kw]       ahead of time
//   mm   m[a,b,o,t]        sum over c of u[a,b,o,c] * v[a,b,c,t]
//   inv  s[i,b,o,t]        sum over a of at_h[i,a] * m[a,b,o,t]
//   out  y[n,o,h,w]        sum over b of at_w[w%mw,b] * s[h%mh,b,o,(n*TY + h/mh)*TX + w/mw]
// bt, g, at are tables (cook_toom.h). Where one is the identity, or a column of ones, its stage is
// a copy without reduction; where it is a row of ones, a plain sum. Tensors x, w, y, xp, d1, v, f1,
// u, m, s.
absl::StatusOr<Graph> MakeWinogradConv(const ConvSpec& spec, int64_t mh, int64_t mw);

// Multiply-adds of all stages that run each time, tables counted as dense: an estimate of the work
// to compare with the direct form's.
double WinogradMultiplyAdds(const ConvSpec& spec, int64_t mh, int64_t mw);

}  // namespace alt::te

#endif  // COMMON_TE_OP_WINOGRAD_H_
