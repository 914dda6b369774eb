#ifndef COMMON_LOWER_MULTIPLIES_PADDING_H_
#define COMMON_LOWER_MULTIPLIES_PADDING_H_

#include "common/ir/module.h"

namespace alt::lower {

// Whether a lowered program (Lower) may multiply zeros that stand for cells outside the data, where
// others skip them: with weights that are not finite it then gives NaN, others a number. False only
// where that is sure.
bool MultipliesPadding(const ir::Module& module);

}  // namespace alt::lower

#endif  // COMMON_LOWER_MULTIPLIES_PADDING_H_
