// PromoteAccumulators: a local buffer whose every access has a constant index after unrolling
// becomes virtual registers, one for each vector (or scalar) that is accessed.
//
//   allocate acc[32] { acc[ramp(0,1,16)] = ...; acc[ramp(16,1,16)] = ... }
//     -->  allocate acc<16>[2] register { acc[0] = ...; acc[1] = ... }
// A buffer whose accesses overlap without being equal stays in memory. Shown by
// tests/common/lower/promote_accumulators_test.cc.

#ifndef COMMON_LOWER_PROMOTE_ACCUMULATORS_H_
#define COMMON_LOWER_PROMOTE_ACCUMULATORS_H_

#include "common/ir/stmt.h"

namespace alt::lower {

ir::Stmt PromoteAccumulators(const ir::Stmt& s);

}  // namespace alt::lower

#endif  // COMMON_LOWER_PROMOTE_ACCUMULATORS_H_
