#include "server/store/tuning_store.h"

#include <utility>

#include "absl/synchronization/notification.h"

namespace alt::store {

absl::Status TuningStore::CommitAndWait(WriteBatch batch) {
  absl::Status result;
  absl::Notification done;
  Commit(std::move(batch), [&](const absl::Status& status) {
    result = status;
    done.Notify();
  });
  done.WaitForNotification();
  return result;
}

}  // namespace alt::store
