// Limits that layouts, schedules and lowering share: far above what a real program needs and far
// below what could hurt.
#ifndef COMMON_IR_LIMITS_H_
#define COMMON_IR_LIMITS_H_

#include <cstdint>

namespace alt::ir {

inline constexpr int kMaxRank = 32;     // dimensions of a tensor, loops that one instruction names
inline constexpr int kMaxFactors = 16;  // of one split

// Nodes (ExprNode::size) of what passes build from texts of others: a text may double an expression
// with every word. Ordinary ones have tens and hundreds.
inline constexpr uint32_t kMaxIndexNodes = 1000;  // all indices of one access, simplified
inline constexpr uint32_t kMaxBodyNodes = 20000;  // the body of a stage, before it is simplified

}  // namespace alt::ir

#endif  // COMMON_IR_LIMITS_H_
