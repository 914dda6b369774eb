// What this machine is: its target by CPUID, its cores and caches by hwloc.
#ifndef COMMON_TARGET_HOST_H_
#define COMMON_TARGET_HOST_H_

#include <cstdint>
#include <string>

#include "common/target/target.h"

namespace alt::target {

struct HostFacts {
  std::string cpu_name;  // as the CPU calls itself: "AMD EPYC 9B14"
  std::string mcpu_why;  // how its mcpu was found, for people: "family 0x19 model 0x11"
  int cores = 1;         // physical cores of the machine
  int cpus = 1;          // hardware threads of the machine
  // Hardware threads that this process may run on (affinity), no more than its quota of CPU time
  // pays for (cgroup_limits.h).
  int threads = 1;
  // Physical cores among those, of the fastest class only (cpu_speed.h): what a compute-bound
  // kernel can use, for threads with equal shares of the work wait for the slowest. At most
  // `threads`.
  int usable_cores = 1;
  int vec_bits = 128;  // of the widest vectors that CPU and operating system support
  // Of the machine, or what the control groups leave of it; 0 when the system does not tell.
  int64_t memory_bytes = 0;
  // Data caches that serve a CPU of the affinity and the fastest class, each in bytes; 0 when there
  // is none or the machine hides it.
  int64_t l1d_bytes = 0;
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;
};

// Where Linux tells what it knows; tests give folders of their own.
struct HostPaths {
  std::string cpus = "/sys/devices/system/cpu";
  std::string cgroup_membership = "/proc/self/cgroup";
  std::string cgroups = "/sys/fs/cgroup";
};

// Milliseconds: reads the machine's topology. Call it once.
HostFacts DetectHostFacts(const HostPaths& paths = {});

// The CPU's name as LLVM's -mcpu, without linking LLVM: one whose instructions can all be used here
// (x86_cpuid.h).
std::string DetectHostMcpu();

// This machine as a target for kernels on `threads` threads.
Target HostTarget(int threads);

// Whether this machine has the instructions of code for `target`, whatever its threads. A machine
// runs more than it serves (target.h): measured here, code for a lesser CPU would be no record of
// that CPU.
bool HostRuns(const Target& target);

}  // namespace alt::target

#endif  // COMMON_TARGET_HOST_H_
