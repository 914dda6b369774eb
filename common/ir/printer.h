#ifndef COMMON_IR_PRINTER_H_
#define COMMON_IR_PRINTER_H_

#include <string>

#include "common/ir/module.h"

namespace alt::ir {

// Text for people and golden files: infix with the fewest parentheses, two spaces an indent, one
// statement a line. Variables that share a name within one module are told apart as h, h_1, ...
std::string Print(const Expr& e);
std::string Print(const Stmt& s);
std::string Print(const Function& f);
std::string Print(const Module& m);

}  // namespace alt::ir

#endif  // COMMON_IR_PRINTER_H_
