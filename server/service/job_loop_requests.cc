// What clients ask of the job loop: new jobs, and changes of what is to become of one.
#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "server/search/tuner.h"
#include "server/service/job_loop.h"
#include "server/service/job_fit.h"

namespace alt::service {
namespace {

// Whether a tuner takes the job at all: an unknown policy or a layout that does not apply is an
// answer to CreateJob, not the end of a job.
absl::Status CheckTune(const job::TuneSpec& spec) {
  return search::Tuner::Create(search::TuningTask{spec}).status();
}

// As it is stored: the same request again must be the same spec.
void Normalize(job::JobSpec& spec) {
  auto* const tune = std::get_if<job::TuneSpec>(&spec);
  if (tune == nullptr) return;
  if (tune->policy.empty()) tune->policy = search::kDefaultPolicy;
  if (tune->time_limit) tune->time_limit = absl::Trunc(*tune->time_limit, absl::Microseconds(1));
}

}  // namespace

// A client's layouts may take long to look at: not on the loop, which serves all the others.
void JobLoop::CreateJob(job::JobSpec spec, std::string request_id, std::string client,
                        JobCallback done) {
  if (!std::holds_alternative<job::TuneSpec>(spec)) {
    return CreateChecked(std::move(spec), std::move(request_id), std::move(client),
                         std::move(done));
  }
  const bool accepted = checks_.TrySchedule([this, spec, request_id, client, done] {
    const absl::Status status = CheckTune(std::get<job::TuneSpec>(spec));
    if (status.ok()) return CreateChecked(spec, request_id, client, done);
    done(status);
  });
  if (!accepted) done(absl::ResourceExhaustedError("too many jobs are being created at once"));
}

void JobLoop::CreateChecked(job::JobSpec spec, std::string request_id, std::string client,
                            JobCallback done) {
  const target::Target target = job::TargetOf(spec);
  dispatch_.Inspect([this, target, spec = std::move(spec), request_id = std::move(request_id),
                     client = std::move(client),
                     done = std::move(done)](const dispatch::Dispatcher& dispatcher) mutable {
    loop_.Post([this, worker = WorkerFor(target, dispatcher), spec = std::move(spec),
                request_id = std::move(request_id), client = std::move(client),
                done = std::move(done)]() mutable {
      Create(std::move(spec), worker, std::move(request_id), std::move(client), std::move(done));
    });
  });
}

absl::Status JobLoop::CheckRoom(const std::string& client) const {
  if (static_cast<int64_t>(entries_.size()) >= options_.max_unfinished) {
    return absl::ResourceExhaustedError(
        absl::StrCat(entries_.size(), " jobs are unfinished; wait for some, or cancel them"));
  }
  const auto its = std::count_if(entries_.begin(), entries_.end(),
                                 [&](const auto& entry) { return entry.second.client == client; });
  if (its >= options_.max_unfinished_of_client) {
    return absl::ResourceExhaustedError(
        absl::StrCat(its, " jobs of this client are unfinished; wait for some, or cancel them"));
  }
  return absl::OkStatus();
}

void JobLoop::Create(job::JobSpec spec, const std::optional<measure::WorkerFacts>& worker,
                     std::string request_id, std::string client, JobCallback done) {
  Normalize(spec);
  if (const auto known = store_.FindJobByRequest(request_id)) {
    if (known->spec != spec) {
      return done(
          absl::InvalidArgumentError(absl::StrCat("request id ", request_id, " stands for job ",
                                                  known->id, ", which asks for something else")));
    }
    return Answer(known->id, absl::OkStatus(), done);
  }
  if (const absl::Status room = CheckRoom(client); !room.ok()) return done(room);
  if (const absl::Status fits = CheckFits(spec, worker); !fits.ok()) return done(fits);
  store::Job job;
  job.id = absl::StrCat("j", store_.NextJobNumber());
  job.request_id = request_id;
  job.progress = job::NoProgress(spec);
  job.spec = std::move(spec);
  job.created = Now();
  Change(store::CreateJob{job}, job, [this, job, request_id, done](const absl::Status& status) {
    if (absl::IsAlreadyExists(status)) {  // the same request, twice at once
      const auto known = store_.FindJobByRequest(request_id);
      return Answer(known ? known->id : job.id, absl::OkStatus(), done);
    }
    Answer(job.id, status, done);
  });
  entries_.at(job.id).client = std::move(client);
}

void JobLoop::CancelJob(std::string id, JobCallback done) {
  loop_.Post([this, id = std::move(id), done = std::move(done)]() mutable {
    Cancel(id, std::move(done));
  });
}

// What is worked on is in entries_. What the store says lags behind that, and may call a job
// running that was given up because it could not be written.
void JobLoop::Cancel(const std::string& id, JobCallback done) {
  if (Defer(id, [this, id, done] { Cancel(id, done); })) return;
  const auto answer = [this, id, done](const absl::Status& status) { Answer(id, status, done); };
  const auto entry = entries_.find(id);
  if (entry != entries_.end() && entry->second.running) {
    dispatch_.Send(dispatch::CancelJob{id});
    return Apply(id, entry->second.running->Stop("cancelled", Now()), answer);
  }
  absl::StatusOr<store::Job> job = store_.GetJob(id);
  if (!job.ok() || job::Rests(job->state)) return answer(absl::OkStatus());
  job->state = job::JobState::kStopped;
  job->reason = "cancelled";
  Change(store::UpdateJob{*job}, *job, answer);
}

void JobLoop::ResumeJob(std::string id, JobCallback done) {
  loop_.Post([this, id = std::move(id), done = std::move(done)]() mutable {
    Resume(id, std::move(done));
  });
}

void JobLoop::Resume(const std::string& id, JobCallback done) {
  if (Defer(id, [this, id, done] { Resume(id, done); })) return;
  absl::StatusOr<store::Job> job = store_.GetJob(id);
  if (!job.ok() || entries_.contains(id) || job->state == job::JobState::kSucceeded) {
    return Answer(id, absl::OkStatus(), done);
  }
  job->state = job::JobState::kQueued;
  job->reason.clear();
  job->finished.reset();
  Change(store::UpdateJob{*job}, *job,
         [this, id, done](const absl::Status& status) { Answer(id, status, done); });
}

bool JobLoop::Defer(const std::string& id, std::function<void()> call) {
  const auto it = entries_.find(id);
  if (it == entries_.end()) return false;
  Entry& entry = it->second;
  const bool ends = entry.running && job::Rests(entry.running->job().state);
  if (!entry.changing && !ends) return false;
  entry.waiting.push_back(std::move(call));
  return true;
}

}  // namespace alt::service
