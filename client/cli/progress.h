// What `alt tune` says while it waits.
#ifndef CLIENT_CLI_PROGRESS_H_
#define CLIENT_CLI_PROGRESS_H_

#include <string>

#include "absl/time/time.h"
#include "common/job/job.h"

namespace alt::cli {

// "trial 41/128  ETA 0:32  best 0.412 ms  651.2 GFLOP/s  78% of peak  3.1x default  2 failed", or
// why it waits. One line, without its end.
std::string FormatProgress(const job::Job& job);

// What a line of so many columns has room for; 0: any. A line that wraps could not be rewritten.
std::string FitLine(const std::string& text, int columns);

// "0.412 ms": three digits and the unit that suits.
std::string FormatNanoseconds(double ns);
// "1:05" or "2:10:05".
std::string FormatSeconds(double seconds);

// Writes to stderr: on a terminal one line that is rewritten, else a line every few seconds and
// when the state changes.
class ProgressPrinter {
 public:
  explicit ProgressPrinter(bool terminal) : terminal_(terminal) {}
  ~ProgressPrinter() { Finish(); }

  void Show(const job::Job& job, absl::Time now);
  // Leaves the last line standing.
  void Finish();

 private:
  const bool terminal_;
  bool line_open_ = false;
  std::string last_text_;
  job::JobState last_state_ = job::JobState::kSucceeded;
  absl::Time last_time_ = absl::InfinitePast();
  absl::Time waits_since_ = absl::InfiniteFuture();
};

}  // namespace alt::cli

#endif  // CLIENT_CLI_PROGRESS_H_
