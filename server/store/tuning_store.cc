#include "server/store/tuning_store.h"

#include <utility>

#include "absl/synchronization/notification.h"

namespace alt::store {

absl::Status TuningStore::CommitAndWait(WriteBatch batch) {
  absl::Status result;
  absl::Notification done;
  Commit(std::move(batch), [&](const absl::Status& status) {
    // A copy of its own: references are counted inside abseil's library, where ThreadSanitizer does
    // not see that the last one to go comes after the others.
    result = absl::Status(status.code(), status.message());
    done.Notify();
  });
  done.WaitForNotification();
  return result;
}

}  // namespace alt::store
