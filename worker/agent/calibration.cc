#include "worker/agent/calibration.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/base/file.h"
#include "common/base/parse.h"

namespace alt::agent {
namespace {

constexpr int kMostCaches = 8;

}  // namespace

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
  const auto caches = base::ParseIntInRange("caches", values["caches"], 0, kMostCaches);
  if (!gflops_1t.ok() || !gflops.ok() || !read_gbs.ok() || !threads.ok() || !caches.ok()) {
    return std::nullopt;
  }
  if (*gflops_1t <= 0 || *gflops <= 0 || *read_gbs <= 0) return std::nullopt;
  measure::Peak peak{.gflops_1t = *gflops_1t,
                     .gflops = *gflops,
                     .threads = static_cast<int>(*threads),
                     .read_gbs = *read_gbs,
                     .cpu = values["cpu"]};
  for (int i = 0; i < *caches; ++i) {
    const std::vector<std::string> words =
        absl::StrSplit(values[absl::StrCat("cache", i)], ' ', absl::SkipEmpty());
    if (words.size() != 3) return std::nullopt;
    const auto level = base::ParseIntInRange("level", words[0], 1, kMostCaches);
    const auto bytes = base::ParseIntInRange("bytes", words[1], 1, int64_t{1} << 40);
    const auto gbs = base::ParseDouble(words[2]);
    if (!level.ok() || !bytes.ok() || !gbs.ok() || *gbs <= 0) return std::nullopt;
    peak.caches.push_back({.level = static_cast<int>(*level), .bytes = *bytes, .read_gbs = *gbs});
  }
  return peak;
}

absl::Status WriteCalibration(const std::string& path, const std::string& machine,
                              const measure::Peak& peak) {
  std::string text = absl::StrFormat(
      "machine=%s\ncpu=%s\ngflops_1t=%.6g\ngflops=%.6g\nthreads=%d\nread_gbs=%.6g\ncaches=%d\n",
      machine, peak.cpu, peak.gflops_1t, peak.gflops, peak.threads, peak.read_gbs,
      static_cast<int>(peak.caches.size()));
  for (size_t i = 0; i < peak.caches.size(); ++i) {
    const measure::CacheLevel& cache = peak.caches[i];
    absl::StrAppendFormat(&text, "cache%d=%d %d %.6g\n", static_cast<int>(i), cache.level,
                          cache.bytes, cache.read_gbs);
  }
  return base::WriteFileAtomically(path, text);
}

}  // namespace alt::agent
