// Names of leases. A name says what was leased, so that a worker's result finds its place even in
// another life of the server:
//
//   realm "." epoch "." serial "/" job "/" batch "/" indices     1f3a.5.12/j7/3/0-7,9
//
// realm is the database, epoch its opening, serial counts within that.
#ifndef SERVER_DISPATCH_LEASE_ID_H_
#define SERVER_DISPATCH_LEASE_ID_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace alt::dispatch {

struct LeaseName {
  std::string realm;
  int64_t epoch = 0;
  int64_t serial = 0;
  std::string job;
  int64_t batch = 0;
  std::vector<int64_t> indices;  // growing
  friend bool operator==(const LeaseName&, const LeaseName&) = default;
};

std::string PrintLeaseName(const LeaseName& name);
// None for what PrintLeaseName does not print, and for more than kMaxLeaseSize indices.
std::optional<LeaseName> ParseLeaseName(absl::string_view text);

// Candidates in one lease.
inline constexpr int64_t kMaxLeaseSize = 1024;

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_LEASE_ID_H_
