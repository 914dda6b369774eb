#include "server/service/job_start.h"

#include "absl/strings/str_cat.h"

namespace alt::service {

store::Job Started(store::Job job, const measure::WorkerFacts& facts, int64_t sequence,
                   absl::Time now) {
  if (!job.start) {
    job.start = store::JobStart{
        .sequence = sequence, .l1_bytes = facts.l1_bytes, .l2_bytes = facts.l2_bytes, .time = now};
  }
  return job;
}

std::string WaitsFor(const target::Target& target, const dispatch::Dispatcher& dispatcher) {
  const size_t workers = dispatcher.Workers().size();
  return absl::StrCat("no worker for ", target::PrintTarget(target),
                      workers == 0 ? "" : absl::StrCat("; ", workers, " of other kinds"));
}

}  // namespace alt::service
