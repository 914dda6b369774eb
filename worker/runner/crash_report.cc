#include "worker/runner/crash_report.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>

#include "worker/sandbox/frame.h"

namespace alt::runner {
namespace {

// A handler reaches nothing else.
int crash_socket = -1;
const OperandMemory* crash_memory = nullptr;
volatile sig_atomic_t crashing = 0;

uintptr_t StackPointer(const void* context) {
  const auto* registers = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(registers->gregs[REG_RSP]);
#elif defined(__aarch64__)
  return registers->sp;
#else
  static_cast<void>(registers);
  return 0;
#endif
}

// A fault within a large frame of the stack pointer is the stack's own: nothing else lies there.
bool IsStackOverflow(int signal, uintptr_t address, const void* context) {
  constexpr uintptr_t kFrame = 1 << 20;
  const uintptr_t sp = StackPointer(context);
  return signal == SIGSEGV && address > sp - kFrame && address < sp + (1 << 16);
}

// Whether an eighth of the address space that the limit allows is left. A kernel that did not look
// at what malloc returned crashes by the null pointer, and that is the memory's fault.
bool OutOfMemory() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  const size_t bytes = limit.rlim_cur / 8;
  void* const probe =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) return true;
  munmap(probe, bytes);
  return false;
}

void Handle(int signal, siginfo_t* info, void* context) {
  // Of several threads that crash, the first one reports.
  if (crashing == 0) {
    crashing = 1;
    sandbox::Reply reply;
    memset(&reply, 0, sizeof(reply));
    reply.status = sandbox::ReplyStatus::kFault;
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const bool has_address = signal == SIGSEGV || signal == SIGBUS;
    reply.fault.signal = signal;
    reply.fault.address = has_address ? static_cast<int64_t>(address) : 0;
    reply.fault.stack_overflow = IsStackOverflow(signal, address, context);
    reply.fault.out_of_memory = OutOfMemory();
    reply.fault.buffer =
        has_address ? crash_memory->Locate(info->si_addr, &reply.fault.offset) : -1;
    sandbox::SendFrame(crash_socket, &reply, sizeof(reply));
  }
  // SA_RESETHAND has restored the default action.
  raise(signal);
}

}  // namespace

void ReportCrashesTo(int socket, const OperandMemory* memory) {
  crash_socket = socket;
  crash_memory = memory;
  AddSignalStack();
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = &Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

void AddSignalStack() {
  thread_local char bytes[64 << 10];  // no allocation: a kernel may have broken the heap
  stack_t stack;
  memset(&stack, 0, sizeof(stack));
  stack.ss_sp = bytes;
  stack.ss_size = sizeof(bytes);
  sigaltstack(&stack, nullptr);
}

}  // namespace alt::runner
