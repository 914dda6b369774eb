// Runs an exported shared object on random data and compares with the workload's definition.
#ifndef CLIENT_EXPORT_CHECK_H_
#define CLIENT_EXPORT_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace alt::client {

struct CheckOptions {
  std::string library;      // path
  uint64_t seed = 1;        // of the data
  std::string search_path;  // PATH, for the linker of the reference
  std::string temp_dir;
};

struct CheckReport {
  std::string workload;
  double max_abs_error = 0;
  // The same relative to the largest result: cells that cancel to nearly nothing carry the rounding
  // errors of what they are sums of.
  double max_rel_error = 0;
  bool ok = false;
};

// Loads the library into this process and calls it: do so in a process that may crash.
// Unimplemented when the kernel is for a machine that this one is not.
absl::StatusOr<CheckReport> CheckExport(const CheckOptions& options);

}  // namespace alt::client

#endif  // CLIENT_EXPORT_CHECK_H_
