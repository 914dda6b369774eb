#ifndef COMMON_LOWER_COUNT_PRODUCTS_H_
#define COMMON_LOWER_COUNT_PRODUCTS_H_

#include <cstdint>

#include "common/ir/module.h"

namespace alt::lower {

// Products of two values that are not constants which one run of the program computes, lanes
// counted: each keeps an FMA unit busy. Works on loops (LowerToLoops) and on what becomes of them.
// More than the operator has: stages that are computed inside loops of others compute some cells
// more than once. A lower bound where it is not sure: of a select the cheaper side, nothing of what
// would take too long to count.
int64_t CountProducts(const ir::Module& module);

}  // namespace alt::lower

#endif  // COMMON_LOWER_COUNT_PRODUCTS_H_
