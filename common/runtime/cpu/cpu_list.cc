#include "common/runtime/cpu/cpu_list.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "common/target/cpu_speed.h"

namespace alt::runtime {
namespace {

// -1 when the file is not there, as in some containers.
int ReadTopology(int cpu, const char* what) {
  char path[96];
  snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
  FILE* file = fopen(path, "re");
  if (file == nullptr) return -1;
  int value = -1;
  if (fscanf(file, "%d", &value) != 1) value = -1;
  fclose(file);
  return value;
}

int CoreOf(int cpu) {
  const int core = ReadTopology(cpu, "core_id");
  if (core < 0) return cpu;  // unknown: a core of its own
  return std::max(0, ReadTopology(cpu, "physical_package_id")) * (1 << 16) + core;
}

}  // namespace

std::vector<Cpu> AllowedCpus() {
  std::vector<Cpu> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back({cpu, CoreOf(cpu)});
    }
  }
  if (cpus.empty()) cpus.push_back({0, 0});
  std::vector<int> numbers;
  for (const Cpu& cpu : cpus) numbers.push_back(cpu.number);
  const std::vector<int> classes = target::ReadSpeedClasses(numbers);
  for (size_t i = 0; i < cpus.size(); ++i) cpus[i].speed_class = classes[i];
  return cpus;
}

std::vector<int> ChooseCpus(const std::vector<Cpu>& allowed, int threads) {
  struct Place {
    int speed_class;
    bool shares_core;  // with a CPU that comes earlier
    int number;
  };
  std::vector<Place> order;
  std::set<int> cores;
  for (auto cpu = allowed.rbegin(); cpu != allowed.rend(); ++cpu) {
    order.push_back({cpu->speed_class, !cores.insert(cpu->core).second, cpu->number});
  }
  std::stable_sort(order.begin(), order.end(), [](const Place& a, const Place& b) {
    return std::tie(a.speed_class, a.shares_core) < std::tie(b.speed_class, b.shares_core);
  });
  std::vector<int> chosen;
  for (int t = 0; t < threads; ++t) {
    chosen.push_back(order[static_cast<size_t>(t) % order.size()].number);
  }
  return chosen;
}

bool PinThisThread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

}  // namespace alt::runtime
