#ifndef COMMON_BASE_THREAD_ROOM_H_
#define COMMON_BASE_THREAD_ROOM_H_

#include "absl/status/status.h"

namespace alt::base {

// Whether this process may start so many threads more. Asked first thing in main: libraries find
// out later, and hang or abort. Under a limit of the address space (ulimit -v) it also keeps
// malloc from setting 64 MB of it aside for each thread. ResourceExhausted says how many there was
// room for and which limits to raise.
absl::Status CheckThreadRoom(int threads);

}  // namespace alt::base

#endif  // COMMON_BASE_THREAD_ROOM_H_
