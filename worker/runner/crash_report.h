// The last words of a runner whose kernel crashes.
#ifndef WORKER_RUNNER_CRASH_REPORT_H_
#define WORKER_RUNNER_CRASH_REPORT_H_

#include "worker/runner/operand_memory.h"

namespace alt::runner {

// From now on, SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT of any thread send a Reply of status
// kFault to `socket`, then end the process as they would have. `memory` outlives the process's use
// of kernels. Called once.
void ReportCrashesTo(int socket, const OperandMemory* memory);

// Gives the calling thread a stack for signal handlers, without which an overflow of its stack ends
// the process wordlessly (by SIGSEGV all the same).
void AddSignalStack();

}  // namespace alt::runner

#endif  // WORKER_RUNNER_CRASH_REPORT_H_
