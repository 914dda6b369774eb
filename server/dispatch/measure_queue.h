#ifndef SERVER_DISPATCH_MEASURE_QUEUE_H_
#define SERVER_DISPATCH_MEASURE_QUEUE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/target/target.h"

namespace alt::dispatch {

// Candidates of one batch that go to one worker together.
struct Chunk {
  std::string client;  // whose job it is
  std::string job;
  int64_t batch = 0;
  std::vector<int64_t> indices;
  target::Target target;
  int priority = 0;
};

// What waits for a worker. Within a job first in, first out, except that what comes back goes
// first. Among the jobs of the highest priority that have what is wanted, those of the client go
// first that has been given the least, counted in candidates, and of these the one that has been
// given the least. A job or client whose queue was empty starts level with the others: it has no
// claim on what it did not want.
class MeasureQueue {
 public:
  void PushBack(Chunk chunk);
  void PushFront(Chunk chunk);  // what was given and came back

  // The next chunk that is wanted.
  std::optional<Chunk> Pop(absl::FunctionRef<bool(const Chunk&)> wanted);

  void RemoveJob(const std::string& job);
  bool empty() const { return jobs_.empty(); }

 private:
  struct Client {
    int64_t given = 0;  // candidates, with a start that is level with others
    int64_t jobs = 0;   // with a queue
  };
  struct JobQueue {
    std::string client;
    std::deque<Chunk> chunks;
    int64_t given = 0;  // candidates, with a start that is level with others
  };
  JobQueue& QueueOf(const Chunk& chunk);

  std::map<std::string, JobQueue> jobs_;   // none is empty
  std::map<std::string, Client> clients_;  // none is without jobs
  // `given` of the client and of the job that were served last, before they were.
  int64_t client_level_ = 0;
  int64_t job_level_ = 0;
};

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_MEASURE_QUEUE_H_
