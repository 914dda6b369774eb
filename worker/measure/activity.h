// What the measuring thread is at, for people.
#ifndef WORKER_MEASURE_ACTIVITY_H_
#define WORKER_MEASURE_ACTIVITY_H_

#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace alt::worker {

// Set by the thread that measures where something takes long, read by the one that talks to the
// server. Safe from every thread.
class Activity {
 public:
  struct View {
    std::string what;      // "computing the reference"; empty: nothing worth a word
    bool waiting = false;  // for others of this host, which `what` names
  };

  // Until the end of its scope, or the next Set.
  class [[nodiscard]] Scope {
   public:
    Scope(Activity* activity, std::string what) : activity_(activity) {
      if (activity_ != nullptr) activity_->Set({std::move(what)});
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      if (activity_ != nullptr) activity_->Set({});
    }

   private:
    Activity* const activity_;
  };

  void Set(View view) {
    absl::MutexLock lock(&mutex_);
    view_ = std::move(view);
  }
  View Get() const {
    absl::MutexLock lock(&mutex_);
    return view_;
  }

 private:
  mutable absl::Mutex mutex_;
  View view_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace alt::worker

#endif  // WORKER_MEASURE_ACTIVITY_H_
