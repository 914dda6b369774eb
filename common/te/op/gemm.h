// Matrix products in their logical form.
#ifndef COMMON_TE_OP_GEMM_H_
#define COMMON_TE_OP_GEMM_H_

#include <cstdint>

#include "common/te/stage.h"

namespace alt::te {

// a [m,k] (trans_a: [k,m]), b [k,n] (trans_b: [n,k]), c [m,n]; each with a batch dimension in front
// when batch > 1. Every extent is positive (ALT_CHECK).
struct GemmSpec {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  bool trans_a = false, trans_b = false;
  bool const_b = true;  // b is a constant
};

// One stage:
//   matmul  c[b,m,n] = sum over k of a[b,m,k] * b[b,k,n]      (axis b only when batch > 1)
// Tensors a, b, c.
Graph MakeGemm(const GemmSpec& spec);

}  // namespace alt::te

#endif  // COMMON_TE_OP_GEMM_H_
