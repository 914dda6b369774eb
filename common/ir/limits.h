// Limits that the texts and the messages of layouts and schedules share: far above what a real
// value needs and far below what could hurt.
#ifndef COMMON_IR_LIMITS_H_
#define COMMON_IR_LIMITS_H_

namespace alt::ir {

inline constexpr int kMaxRank = 32;     // dimensions of a tensor, loops that one instruction names
inline constexpr int kMaxFactors = 16;  // of one split

}  // namespace alt::ir

#endif  // COMMON_IR_LIMITS_H_
