// Which CPUs threads are pinned to.
#ifndef COMMON_RUNTIME_CPU_CPU_LIST_H_
#define COMMON_RUNTIME_CPU_CPU_LIST_H_

#include <vector>

namespace alt::runtime {

// A logical CPU; two with the same core are hardware threads of one core.
struct Cpu {
  int number = 0;
  int core = 0;         // unique on the machine
  int speed_class = 0;  // 0 is the fastest (common/target/cpu_speed.h)
};

// The CPUs that this thread may run on (containers, taskset and Slurm narrow them), with their
// cores and classes, by number.
std::vector<Cpu> AllowedCpus();

// `threads` CPU numbers: all of a faster class before any of a slower one; within a class one on
// each core before a second on any; from the last cores, since the first ones serve most
// interrupts. More threads than CPUs start over. `allowed` is not empty.
std::vector<int> ChooseCpus(const std::vector<Cpu>& allowed, int threads);

// False when the system refuses; harmless, the thread then floats.
bool PinThisThread(int cpu);

}  // namespace alt::runtime

#endif  // COMMON_RUNTIME_CPU_CPU_LIST_H_
