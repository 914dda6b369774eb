#include "common/target/cgroup_limits.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/file.h"

namespace alt::target {
namespace {

// Empty where there is none: the root of a tree has no limits, and not every group every
// controller.
std::string Read(const std::string& folder, absl::string_view file) {
  return base::ReadFile(absl::StrCat(folder, "/", file)).value_or("");
}

template <typename T>
void Lower(std::optional<T>& limit, const std::optional<T>& other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// Whichever version's files are there.
void LowerToGroup(const std::string& folder, CgroupLimits& limits) {
  Lower(limits.cpus, ParseCpuMax(Read(folder, "cpu.max")));
  Lower(limits.cpus, ParseCpuMax(absl::StrCat(Read(folder, "cpu.cfs_quota_us"), " ",
                                              Read(folder, "cpu.cfs_period_us"))));
  Lower(limits.memory_bytes, ParseMemoryMax(Read(folder, "memory.max")));
  Lower(limits.memory_bytes, ParseMemoryMax(Read(folder, "memory.limit_in_bytes")));
}

// The folders of a group and its parents, up to that of the tree.
std::vector<std::string> Lineage(const std::string& tree, absl::string_view group) {
  // A group outside of what is mounted here is "/../name"; its limits cannot be read.
  if (absl::StrContains(group, "..")) group = "";
  absl::ConsumeSuffix(&group, "/");
  std::vector<std::string> out;
  for (; !group.empty(); group = group.substr(0, group.rfind('/'))) {
    out.push_back(absl::StrCat(tree, group));
  }
  out.push_back(tree);
  return out;
}

}  // namespace

std::optional<int> ParseCpuMax(absl::string_view text) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  int64_t quota, period;
  if (words.size() != 2 || !absl::SimpleAtoi(words[0], &quota) ||
      !absl::SimpleAtoi(words[1], &period) || quota <= 0 || period <= 0) {
    return std::nullopt;
  }
  const int64_t cpus = quota / period + (quota % period > 0 ? 1 : 0);
  return static_cast<int>(std::min<int64_t>(cpus, std::numeric_limits<int>::max()));
}

std::optional<int64_t> ParseMemoryMax(absl::string_view text) {
  int64_t bytes;
  if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(text), &bytes) || bytes <= 0) {
    return std::nullopt;
  }
  return bytes;
}

CgroupLimits ReadCgroupLimits(absl::string_view membership, const std::string& root) {
  CgroupLimits limits;
  // "0::/user.slice" of version 2; "4:cpu,cpuacct:/user.slice" of version 1.
  for (const absl::string_view line : absl::StrSplit(membership, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    for (const absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      if (!controller.empty() && controller != "cpu" && controller != "memory") continue;
      const std::string tree = controller.empty() ? root : absl::StrCat(root, "/", controller);
      for (const std::string& folder : Lineage(tree, parts[2])) LowerToGroup(folder, limits);
    }
  }
  return limits;
}

}  // namespace alt::target
