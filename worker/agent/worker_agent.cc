#include "worker/agent/worker_agent.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/plain_text.h"
#include "common/base/status_macros.h"
#include "common/wire/measure_wire.h"
#include "common/wire/time_wire.h"

namespace alt::agent {
namespace {

// The server answers a held call well within this, unless it is gone.
constexpr absl::Duration kHold = absl::Seconds(5);
constexpr absl::Duration kDrainHold = absl::Seconds(1);
constexpr absl::Duration kCallTimeout = absl::Seconds(10);
// Renewals are this frequent even if the server asks for less: a third of a lease.
constexpr absl::Duration kLongestSilence = absl::Seconds(3);

constexpr size_t kMaxReasonBytes = 4096;

bool IsRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

v1::LeaseReport HandBack(const std::string& lease_id, absl::string_view reason) {
  v1::LeaseReport out;
  out.set_lease_id(lease_id);
  out.mutable_handed_back()->set_reason(base::PlainText(reason, kMaxReasonBytes));
  return out;
}

}  // namespace

WorkerAgent::WorkerAgent(AgentOptions options, std::unique_ptr<WorkerChannel> channel,
                         measure::Measurer& measurer, PeakFunction measure_peak)
    : options_(std::move(options)),
      channel_(std::move(channel)),
      measurer_(measurer),
      measure_peak_(std::move(measure_peak)),
      facts_(options_.facts),
      next_rest_(options_.first_rest),
      backoff_(options_.first_backoff),
      next_call_in_(absl::ZeroDuration()),
      random_(absl::HashOf(options_.session_id)) {}

absl::Status WorkerAgent::Run() {
  std::thread measuring([this] { MeasureLoop(); });
  const absl::Status status = Talk();
  {
    absl::MutexLock lock(&mutex_);
    CancelCurrent();
    stopping_ = true;
  }
  measuring.join();
  return status;
}

absl::Status WorkerAgent::Talk() {
  while (true) {
    v1::SynchronizeRequest request;
    absl::Duration timeout;
    {
      absl::MutexLock lock(&mutex_);
      if (Drained()) return absl::OkStatus();
      if (absl::Now() >= drain_deadline_) CancelCurrent();
      request = MakeRequest();
      ended_is_new_ = false;
      timeout = draining_ ? options_.drain_alone : kCallTimeout;
    }
    const absl::StatusOr<v1::SynchronizeResponse> response =
        channel_->Synchronize(request, timeout);
    absl::MutexLock lock(&mutex_);
    const bool reached = response.ok();
    if (reached) {
      if (!connected_) {
        ALT_LOG(INFO) << "joined the server " << options_.server << " as " << options_.name;
      }
      connected_ = true;
      backoff_ = options_.first_backoff;
      told_draining_ = request.has_draining();
      Follow(*response);
    } else {
      ALT_RETURN_IF_ERROR(HandleFailure(response.status()));
    }
    Wait(next_call_in_, reached);
  }
}

absl::Status WorkerAgent::HandleFailure(const absl::Status& status) {
  if (absl::IsUnimplemented(status)) {
    return base::Annotate(status, absl::StrCat("what answers at ", options_.server,
                                               " is no alt-server of this kind"));
  }
  if (IsRefusal(status)) return base::Annotate(status, "the server refuses this worker");
  if (absl::IsCancelled(status)) {  // by Drain: there is news
    next_call_in_ = absl::ZeroDuration();
    return absl::OkStatus();
  }
  SayAway(status);
  connected_ = false;
  // Jitter, so that workers do not come back all at once.
  next_call_in_ = backoff_ * (0.5 + random_.UnitDouble());
  backoff_ = std::min(backoff_ * 2, options_.last_backoff);
  if (draining_ && absl::Now() >= drain_deadline_ - options_.drain_grace + options_.drain_alone) {
    ALT_LOG(WARNING) << "the server is away; leaving without it";
    CancelCurrent();
    ended_.clear();
    task_.reset();
    told_draining_ = true;  // there is nobody to tell
  }
  return absl::OkStatus();
}

// A server that is being started is no reason to be silent, nor one to say it with every attempt.
void WorkerAgent::SayAway(const absl::Status& why) {
  const absl::Duration now = base::RealClock().SteadyNow();
  const bool first = connected_ || away_since_ == absl::ZeroDuration();
  if (first) away_since_ = now;
  if (!first && now < away_said_ + options_.say_every) return;
  away_said_ = now;
  ALT_LOG(WARNING) << (connected_ ? "lost the server " : "cannot reach the server ")
                   << options_.server << (first ? "" : " for ")
                   << (first
                           ? ""
                           : absl::FormatDuration(absl::Trunc(now - away_since_, absl::Seconds(1))))
                   << ": " << why.message() << "; trying again";
}

v1::SynchronizeRequest WorkerAgent::MakeRequest() {
  v1::SynchronizeRequest request;
  request.set_worker_name(options_.name);
  request.set_session_id(options_.session_id);
  *request.mutable_facts() = wire::ToProto(facts_);
  if (draining_) {
    request.mutable_draining();
  } else if (absl::Now() < unhealthy_until_) {
    request.mutable_unhealthy()->set_reason(unhealthy_);
  } else {
    request.mutable_accepting()->set_capacity(1);
  }
  if (task_) {
    v1::LeaseReport& lease = *request.add_leases();
    lease.set_lease_id(task_->lease_id);
    v1::ExecutingLease& executing = *lease.mutable_executing();
    executing.set_steps(task_->steps);
    if (options_.activity != nullptr) {
      const worker::Activity::View view = options_.activity->Get();
      executing.set_activity(base::PlainText(view.what, kMaxReasonBytes));
      executing.set_waiting(view.waiting);
    }
  }
  for (const v1::LeaseReport& ended : ended_) *request.add_leases() = ended;
  // The server holds the call until there is a lease, or an acknowledgement, to tell of. While we
  // execute, the next thing to tell is ours; one who leaves waits for acknowledgements only.
  absl::Duration hold = kHold;
  if (draining_) hold = kDrainHold;
  if (task_ || (draining_ && ended_.empty())) hold = absl::ZeroDuration();
  if (request.has_unhealthy()) hold = std::min(hold, unhealthy_until_ - absl::Now());
  *request.mutable_max_wait() = wire::ToProto(std::max(hold, absl::ZeroDuration()));
  return request;
}

void WorkerAgent::Follow(const v1::SynchronizeResponse& response) {
  for (const std::string& id : response.acknowledged_lease_ids()) {
    std::erase_if(ended_, [&](const v1::LeaseReport& lease) { return lease.lease_id() == id; });
  }
  const absl::StatusOr<absl::Duration> next = wire::FromProto(response.next_call_in());
  next_call_in_ =
      std::clamp(next.value_or(absl::Seconds(1)), absl::ZeroDuration(), kLongestSilence);
  // A lease that is not named any more has run out, or its job was stopped.
  bool goes_on = false;
  for (const v1::Lease& lease : response.execute()) {
    if (task_ && lease.lease_id() == task_->lease_id) goes_on = true;
  }
  if (!goes_on) CancelCurrent();
  for (const v1::Lease& lease : response.execute()) Accept(lease);
}

void WorkerAgent::Accept(const v1::Lease& lease) {
  // Busy, perhaps only until the measuring thread has seen a cancellation: it will be said again.
  if (task_ || lease.work_case() == v1::Lease::WORK_NOT_SET) return;
  for (const v1::LeaseReport& ended : ended_) {
    if (ended.lease_id() == lease.lease_id()) return;  // crossed with our report
  }
  if (draining_) {  // given before the server knew
    ended_.push_back(HandBack(lease.lease_id(), "the worker leaves"));
    ended_is_new_ = true;
    return;
  }
  auto task = std::make_shared<Task>();
  task->lease_id = lease.lease_id();
  absl::Status status;
  if (lease.has_measure()) {
    absl::StatusOr<measure::MeasureRequest> request = wire::FromProto(lease.measure());
    status = request.status();
    if (request.ok()) task->measure = *std::move(request);
  } else {
    task->peak_threads = lease.peak().threads();
    status = CheckPeakThreads(task->peak_threads);
  }
  if (!status.ok()) {
    ended_.push_back(HandBack(lease.lease_id(), status.message()));
    ended_is_new_ = true;
    return;
  }
  task_ = std::move(task);
  task_started_ = false;
}

void WorkerAgent::CancelCurrent() {
  if (!task_) return;
  task_->cancelled = true;
  if (!task_started_) task_.reset();
}

absl::Status WorkerAgent::CheckPeakThreads(int threads) const {
  if (threads >= 1 && threads <= facts_.target.threads) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the limits of ", threads, " threads: this worker lends ", facts_.target.threads));
}

bool WorkerAgent::Drained() const {
  return draining_ && told_draining_ && !task_ && ended_.empty();
}

bool WorkerAgent::HasNews() const {
  return ended_is_new_ || Drained() || (draining_ && !told_draining_);
}

void WorkerAgent::Wait(absl::Duration most, bool for_news) {
  const bool draining = draining_;
  const auto over = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return for_news ? HasNews() : draining_ != draining;
  };
  mutex_.AwaitWithTimeout(absl::Condition(&over), most);
}

void WorkerAgent::Drain() {
  {
    absl::MutexLock lock(&mutex_);
    if (draining_) return;
    draining_ = true;
    drain_deadline_ = absl::Now() + options_.drain_grace;
  }
  channel_->Interrupt();  // a held call
}

absl::Status WorkerAgent::Calibrate(absl::FunctionRef<bool()> cancelled) {
  int threads;
  {
    absl::MutexLock lock(&mutex_);
    if (facts_.peak) return absl::OkStatus();
    threads = facts_.target.threads;
  }
  ALT_ASSIGN_OR_RETURN(const measure::Peak peak, measure_peak_(threads, cancelled),
                       base::Annotate(_, "measure the limits of this machine"));
  absl::MutexLock lock(&mutex_);
  facts_.peak = peak;
  return absl::OkStatus();
}

void WorkerAgent::MeasureLoop() {
  // While it may still wait for other workers, the server knows of this one already and gives it
  // work, which makes it known what it waits for. A fault is told with that work.
  const absl::Status ignored = Calibrate([this] {
    absl::MutexLock lock(&mutex_);
    return stopping_ || draining_;
  });
  if (!ignored.ok()) ALT_LOG(WARNING) << ignored.message();
  const auto has_work = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || (task_ && !task_started_);
  };
  while (true) {
    std::shared_ptr<Task> task;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&has_work));
      if (stopping_) return;
      task_started_ = true;
      task = task_;
    }
    v1::LeaseReport ended = Execute(*task);
    absl::MutexLock lock(&mutex_);
    if (ended.has_peak()) {
      const auto peak = wire::FromProto(ended.peak());
      if (peak.ok() && peak->threads == facts_.target.threads) facts_.peak = *peak;
    }
    JudgeHealth(*task, ended);
    ended_.push_back(std::move(ended));
    ended_is_new_ = true;
    task_.reset();
  }
}

void WorkerAgent::JudgeHealth(const Task& task, const v1::LeaseReport& ended) {
  if (ended.has_finished()) {
    unhealthy_.clear();
    next_rest_ = options_.first_rest;
    return;
  }
  if (task.cancelled) return;
  unhealthy_ = ended.handed_back().reason();
  ALT_LOG(ERROR) << "taking no work for " << next_rest_ << ": " << unhealthy_;
  unhealthy_until_ = absl::Now() + next_rest_;
  next_rest_ = std::min(next_rest_ * 2, options_.last_rest);
}

v1::LeaseReport WorkerAgent::Execute(Task& task) {
  const auto cancelled = [&task] {
    ++task.steps;
    return task.cancelled.load();
  };
  if (const absl::Status status = Calibrate(cancelled); !status.ok()) {
    return HandBack(task.lease_id, status.message());
  }
  v1::LeaseReport out;
  out.set_lease_id(task.lease_id);
  if (!task.measure) {
    const absl::StatusOr<measure::Peak> peak = measure_peak_(task.peak_threads, cancelled);
    if (!peak.ok()) return HandBack(task.lease_id, peak.status().message());
    *out.mutable_peak() = wire::ToProto(*peak);
    out.mutable_finished();
    return out;
  }
  const std::vector<measure::MeasureResult> results = measurer_.Measure(*task.measure, cancelled);
  // What was measured before a cancellation, or a fault of our own, stands.
  bool complete = results.size() == task.measure->candidates.size();
  std::string reason = "cancelled";
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].outcome == measure::Outcome::kCancelled) {
      complete = false;
      continue;
    }
    if (results[i].outcome == measure::Outcome::kWorkerLost) {
      complete = false;
      reason = results[i].message.empty() ? "a fault of the worker" : results[i].message;
      continue;
    }
    v1::CandidateResult& result = *out.add_results();
    result.set_position(static_cast<int32_t>(i));
    *result.mutable_result() = wire::ToProto(results[i]);
  }
  if (complete) {
    out.mutable_finished();
  } else {
    out.mutable_handed_back()->set_reason(base::PlainText(reason, kMaxReasonBytes));
  }
  return out;
}

}  // namespace alt::agent
