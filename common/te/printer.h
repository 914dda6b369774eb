#ifndef COMMON_TE_PRINTER_H_
#define COMMON_TE_PRINTER_H_

#include <string>

#include "common/te/stage.h"

namespace alt::te {

// Text for people and golden files, e.g.
//   conv: y[n<1, o<8, w<4] = sum(ic<3, kw<3) xp[n, ic, w + kw]*w_1[o, ic, kw]
std::string Print(const Stage& stage);
// A line for each tensor ("x: input [1, 3, 4, 4]"), then one for each stage.
std::string Print(const Graph& graph);

// "input", "constant", "intermediate", "output".
const char* RoleName(Role role);

}  // namespace alt::te

#endif  // COMMON_TE_PRINTER_H_
