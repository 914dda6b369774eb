// What control groups leave a process: containers, systemd and batch systems narrow it so, and the
// affinity does not tell.
#ifndef COMMON_TARGET_CGROUP_LIMITS_H_
#define COMMON_TARGET_CGROUP_LIMITS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace alt::target {

// None is no limit.
struct CgroupLimits {
  std::optional<int> cpus;  // so many CPUs' worth of time, rounded up
  std::optional<int64_t> memory_bytes;
};

// The least of a process's groups and their parents. `membership` is the text of /proc/self/cgroup,
// `root` the folder that has the tree of version 2 or, each in a folder of its own, those of
// version 1: /sys/fs/cgroup. Inside a container the membership may name groups that are mounted
// elsewhere; what is missing limits nothing.
CgroupLimits ReadCgroupLimits(absl::string_view membership, const std::string& root);

// "200000 100000" or "max 100000": microseconds of CPU time in each so many of wall time. None also
// for what is not understood.
std::optional<int> ParseCpuMax(absl::string_view text);

// "1073741824" or "max".
std::optional<int64_t> ParseMemoryMax(absl::string_view text);

}  // namespace alt::target

#endif  // COMMON_TARGET_CGROUP_LIMITS_H_
