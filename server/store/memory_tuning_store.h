#ifndef SERVER_STORE_MEMORY_TUNING_STORE_H_
#define SERVER_STORE_MEMORY_TUNING_STORE_H_

#include <memory>

#include "server/store/tuning_store.h"

namespace alt::store {

// A store that forgets: for tests and the simulator. Batches are acknowledged within Commit.
std::unique_ptr<TuningStore> MakeMemoryTuningStore();

}  // namespace alt::store

#endif  // SERVER_STORE_MEMORY_TUNING_STORE_H_
