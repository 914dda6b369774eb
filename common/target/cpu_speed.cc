#include "common/target/cpu_speed.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

namespace alt::target {
namespace {

std::optional<std::vector<int64_t>> ReadSpeeds(const std::vector<int>& cpus,
                                               const std::string& folder, const char* file) {
  std::vector<int64_t> speeds;
  for (const int cpu : cpus) {
    std::ifstream in(folder + "/cpu" + std::to_string(cpu) + "/" + file);
    int64_t speed;
    if (!(in >> speed)) return std::nullopt;
    speeds.push_back(speed);
  }
  return speeds;
}

}  // namespace

std::vector<int> SpeedClasses(const std::vector<int64_t>& speeds) {
  std::map<int64_t, int, std::greater<>> classes;
  for (const int64_t speed : speeds) classes[speed] = 0;
  int64_t fastest = classes.empty() ? 0 : classes.begin()->first;
  int current = 0;
  for (auto& [speed, its_class] : classes) {
    if (speed * 5 < fastest * 4) {
      fastest = speed;
      ++current;
    }
    its_class = current;
  }
  std::vector<int> out;
  for (const int64_t speed : speeds) out.push_back(classes[speed]);
  return out;
}

std::vector<int> ReadSpeedClasses(const std::vector<int>& cpus, const std::string& folder) {
  // The capacity knows how much a core does in a cycle, but with hardware threads Linux gives all
  // CPUs of Intel's hybrid machines the same; their clocks differ in any case.
  for (const char* file : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
    const auto speeds = ReadSpeeds(cpus, folder, file);
    if (!speeds) continue;
    const std::vector<int> classes = SpeedClasses(*speeds);
    if (std::any_of(classes.begin(), classes.end(), [](int c) { return c > 0; })) return classes;
  }
  return std::vector<int>(cpus.size(), 0);
}

}  // namespace alt::target
