// Which CPUs of a machine with two kinds of cores are the fast ones. Without abseil: alt-runner
// links this.
#ifndef COMMON_TARGET_CPU_SPEED_H_
#define COMMON_TARGET_CPU_SPEED_H_

#include <cstdint>
#include <string>
#include <vector>

namespace alt::target {

// Of each CPU its class: 0 for the fastest and those with at least 80 % of its speed, 1 for the
// fastest of the others and those with 80 % of that, and so on. Speeds are in any unit.
std::vector<int> SpeedClasses(const std::vector<int64_t>& speeds);

// The classes of these CPUs as Linux tells their speeds; all 0 where it does not. `folder` has one
// cpu<number> for each.
std::vector<int> ReadSpeedClasses(const std::vector<int>& cpus,
                                  const std::string& folder = "/sys/devices/system/cpu");

}  // namespace alt::target

#endif  // COMMON_TARGET_CPU_SPEED_H_
