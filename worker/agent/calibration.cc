#include "worker/agent/calibration.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/base/file.h"
#include "common/base/parse.h"

namespace alt::agent {

std::optional<measure::Peak> ReadCalibration(const std::string& path, const std::string& machine) {
  const absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return std::nullopt;
  std::map<std::string, std::string> values;
  for (const absl::string_view line : absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits('=', 1));
    if (parts.size() == 2) values[parts[0]] = parts[1];
  }
  if (values["machine"] != machine) return std::nullopt;
  const auto number = [&](const char* name) { return base::ParseDouble(values[name]); };
  const auto gflops_1t = number("gflops_1t"), gflops = number("gflops"),
             read_gbs = number("read_gbs");
  const auto threads = base::ParseIntInRange("threads", values["threads"], 1, 1024);
  if (!gflops_1t.ok() || !gflops.ok() || !read_gbs.ok() || !threads.ok()) return std::nullopt;
  if (*gflops_1t <= 0 || *gflops <= 0 || *read_gbs <= 0) return std::nullopt;
  return measure::Peak{.gflops_1t = *gflops_1t,
                       .gflops = *gflops,
                       .threads = static_cast<int>(*threads),
                       .read_gbs = *read_gbs};
}

absl::Status WriteCalibration(const std::string& path, const std::string& machine,
                              const measure::Peak& peak) {
  return base::WriteFileAtomically(
      path, absl::StrFormat("machine=%s\ngflops_1t=%.6g\ngflops=%.6g\nthreads=%d\nread_gbs=%.6g\n",
                            machine, peak.gflops_1t, peak.gflops, peak.threads, peak.read_gbs));
}

}  // namespace alt::agent
