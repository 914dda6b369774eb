#include "server/service/process_metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace alt::service {
namespace {

double ResidentBytes() {
  // In pages: of the address space, then resident.
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return absl::ToDoubleSeconds(absl::DurationFromTimeval(usage.ru_utime) +
                               absl::DurationFromTimeval(usage.ru_stime));
}

double OpenDescriptors() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  double entries = 0;
  while (readdir(folder) != nullptr) ++entries;
  closedir(folder);
  return entries - 3;  // ".", ".." and the folder itself
}

double FreeBytes(const std::string& folder) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) return 0;
  return static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
}

}  // namespace

void AddProcessMetrics(metrics::Registry& registry, const std::string& path) {
  registry.AddGauge("alt_server_resident_memory_bytes", "Resident memory.", {}, ResidentBytes);
  registry.AddGauge("alt_server_cpu_seconds", "CPU time of all threads since the start.", {},
                    CpuSeconds);
  registry.AddGauge("alt_server_open_descriptors", "Open file descriptors.", {}, OpenDescriptors);
  registry.AddGauge("alt_server_start_time_seconds", "Since 1970.")
      .Set(absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()));
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  registry.AddGauge("alt_server_disk_free_bytes", "Room on the disk of the database.", {},
                    [folder] { return FreeBytes(folder); });
}

}  // namespace alt::service
