// What `alt tune` says while it waits.
#ifndef CLIENT_CLI_PROGRESS_H_
#define CLIENT_CLI_PROGRESS_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/cli/context.h"
#include "common/job/job.h"

namespace alt::cli {

// "trial 41/128  ETA 0:32  best 0.412 ms  78% of peak  3.10x default  2 failed  651.2 GFLOP/s", or
// why it waits. One line, without its end.
std::string FormatProgress(const job::Job& job);

// The same for a terminal of so many columns, 0: any: with a bar, and without what is least
// important where there is no room for it.
std::string FormatProgressBar(const job::Job& job, int columns, bool color);

// "0.412 ms": three digits and the unit that suits.
std::string FormatNanoseconds(double ns);
// The median and how far the true one may be from it: "0.412 ms ±0.2%".
std::string FormatLatency(const measure::Latency& latency);
// "1:05" or "2:10:05".
std::string FormatSeconds(double seconds);

// Writes to stderr: on a terminal one line that is rewritten, also when the terminal changes its
// size; else a line every few seconds, when the state changes, and when something begins that takes
// long. Safe from every thread.
class ProgressPrinter {
 public:
  explicit ProgressPrinter(const Context& context);
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  ~ProgressPrinter();

  void Show(const job::Job& job, absl::Time now);
  // Leaves the last line standing.
  void Finish();

 private:
  void Draw() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ShowPlain(const job::Job& job, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const bool live_, color_;
  Interrupts& interrupts_;
  absl::Mutex mutex_;
  bool line_open_ ABSL_GUARDED_BY(mutex_) = false;
  job::Job job_ ABSL_GUARDED_BY(mutex_);  // what the open line shows
  std::string last_text_ ABSL_GUARDED_BY(mutex_);
  std::string last_activity_ ABSL_GUARDED_BY(mutex_);
  job::JobState last_state_ ABSL_GUARDED_BY(mutex_) = job::JobState::kSucceeded;
  absl::Time last_time_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Time waits_since_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
};

}  // namespace alt::cli

#endif  // CLIENT_CLI_PROGRESS_H_
