#ifndef COMMON_IR_INTERPRETER_H_
#define COMMON_IR_INTERPRETER_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "common/ir/module.h"

namespace alt::ir {

// Contents of buffers, row-major; element e lane l is at e * lanes + l.
using Memory = absl::flat_hash_map<const BufferNode*, std::vector<double>>;

// Runs f on memory, which holds every parameter. All loop kinds run in order, floats as doubles
// (rounded to float when stored to an f32 buffer). An index out of bounds, an undefined variable or
// a read of a cell that was allocated and never written is an error that names the statement.
absl::Status Interpret(const Function& f, Memory& memory);

// The value of an index or bool expression.
int64_t EvaluateIndex(const Expr& e, const absl::flat_hash_map<const VarNode*, int64_t>& values);

}  // namespace alt::ir

#endif  // COMMON_IR_INTERPRETER_H_
