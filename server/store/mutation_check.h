#ifndef SERVER_STORE_MUTATION_CHECK_H_
#define SERVER_STORE_MUTATION_CHECK_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/store/tuning_store.h"

namespace alt::store {

// What every store does to a batch first: refuses with InvalidArgument what could not be found
// again (empty or huge texts, an OK without latency), and brings times to the microseconds that are
// kept.
absl::Status CheckAndNormalize(WriteBatch* batch);

// 12 for "j12"; none for what is not a job's id.
std::optional<int64_t> JobNumber(absl::string_view id);

}  // namespace alt::store

#endif  // SERVER_STORE_MUTATION_CHECK_H_
