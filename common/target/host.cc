#include "common/target/host.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/target/cgroup_limits.h"
#include "common/target/cpu_speed.h"
#include "common/target/x86_cpuid.h"

namespace alt::target {
namespace {

// Loads the topology of the machine and frees it.
class Topology {
 public:
  Topology() {
    hwloc_topology_init(&topology_);
    loaded_ = hwloc_topology_load(topology_) == 0;
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  ~Topology() { hwloc_topology_destroy(topology_); }

  bool loaded() const { return loaded_; }

  int Count(hwloc_obj_type_t type) const { return hwloc_get_nbobjs_by_type(topology_, type); }

  hwloc_obj_t ProcessingUnit(int os_index) const {
    return hwloc_get_pu_obj_by_os_index(topology_, static_cast<unsigned>(os_index));
  }

  int64_t CacheBytesAbove(hwloc_obj_t pu, hwloc_obj_type_t type) const {
    hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology_, type, pu);
    return cache == nullptr ? 0 : static_cast<int64_t>(cache->attr->cache.size);
  }

  hwloc_obj_t CoreOf(hwloc_obj_t pu) const {
    return hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_CORE, pu);
  }

 private:
  hwloc_topology_t topology_;
  bool loaded_ = false;
};

// Numbers of the CPUs that this thread may run on, ascending; never empty.
std::vector<int> AffinityCpus() {
  // More than Linux is built for anywhere (8192).
  constexpr int kMaxCpus = 1 << 14;
  cpu_set_t* set = CPU_ALLOC(kMaxCpus);
  const size_t size = CPU_ALLOC_SIZE(kMaxCpus);
  CPU_ZERO_S(size, set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, size, set) == 0) {
    for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), size, set)) cpus.push_back(cpu);
    }
  }
  CPU_FREE(set);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

// Not empty: the fastest one is as fast as itself.
std::vector<int> FastestCpus(const std::vector<int>& cpus, const std::string& folder) {
  const std::vector<int> classes = ReadSpeedClasses(cpus, folder);
  std::vector<int> fastest;
  for (size_t i = 0; i < cpus.size(); ++i) {
    if (classes[i] == 0) fastest.push_back(cpus[i]);
  }
  return fastest;
}

std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!absl::StartsWith(line, "model name")) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) break;
    return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return "unknown CPU";
}

// Of all processes together; 0 when unknown.
int64_t PhysicalMemoryBytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? pages * page_bytes : 0;
}

int CountCores(const Topology& topology, const std::vector<int>& cpus) {
  std::set<hwloc_obj_t> cores;
  for (int cpu : cpus) {
    hwloc_obj_t pu = topology.ProcessingUnit(cpu);
    if (pu != nullptr) cores.insert(topology.CoreOf(pu));
  }
  return std::max(1, static_cast<int>(cores.size()));
}

}  // namespace

std::string DetectHostMcpu() {
#if defined(__x86_64__)
  return McpuFromCpuid(ReadCpuid());
#else
  return "generic";
#endif
}

Target HostTarget(int threads) {
  ALT_CHECK_GT(threads, 0);
  Target target{.kind = TargetKind::kCpu, .mcpu = DetectHostMcpu(), .threads = threads};
  const std::optional<CpuModel> model = FindCpuModel(target.mcpu);
  if (model) target.vec_bits = model->vec_bits;
  return target;
}

bool HostRuns(const Target& target) {
  if (target.kind != TargetKind::kCpu) return false;
#if defined(__x86_64__)
  return CpuidRuns(ReadCpuid(), target.mcpu);
#else
  return target.mcpu == DetectHostMcpu();
#endif
}

HostFacts DetectHostFacts(const HostPaths& paths) {
  HostFacts facts;
  const std::vector<int> cpus = AffinityCpus();
  const CgroupLimits limits =
      ReadCgroupLimits(base::ReadFile(paths.cgroup_membership).value_or(""), paths.cgroups);
  facts.cpu_name = CpuName();
#if defined(__x86_64__)
  facts.mcpu_why = ChooseMcpu(ReadCpuid()).why;
#endif
  facts.threads = static_cast<int>(cpus.size());
  if (limits.cpus) facts.threads = std::min(facts.threads, *limits.cpus);
  facts.memory_bytes = PhysicalMemoryBytes();
  if (limits.memory_bytes &&
      (facts.memory_bytes == 0 || *limits.memory_bytes < facts.memory_bytes)) {
    facts.memory_bytes = *limits.memory_bytes;
  }
  facts.vec_bits = HostTarget(1).vec_bits;
  const Topology topology;
  if (!topology.loaded()) return facts;
  facts.cpus = std::max(1, topology.Count(HWLOC_OBJ_PU));
  facts.cores = std::max(1, topology.Count(HWLOC_OBJ_CORE));
  const std::vector<int> fastest = FastestCpus(cpus, paths.cpus);
  facts.usable_cores = std::min(facts.threads, CountCores(topology, fastest));
  hwloc_obj_t pu = topology.ProcessingUnit(fastest.back());
  if (pu == nullptr) return facts;
  facts.l1d_bytes = topology.CacheBytesAbove(pu, HWLOC_OBJ_L1CACHE);
  facts.l2_bytes = topology.CacheBytesAbove(pu, HWLOC_OBJ_L2CACHE);
  facts.l3_bytes = topology.CacheBytesAbove(pu, HWLOC_OBJ_L3CACHE);
  return facts;
}

}  // namespace alt::target
