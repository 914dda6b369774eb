#include "tests/sim/cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace alt::sim {

Cluster::Cluster(ClusterOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      disk_(&loop_, random_.Stream("disk")),
      server_(&loop_, &disk_),
      measurer_({.seed = 7, .failure_rate = 0.15}) {
  for (size_t i = 0; i < options_.jobs.size(); ++i) {
    store::Job job;
    job.id = absl::StrCat("j", i + 1);
    job.request_id = absl::StrCat("request-", i + 1);
    job.spec = options_.jobs[i];
    job.created = absl::FromUnixSeconds(1767225600);
    // Before anything was measured, whenever the job comes to run.
    job.start = {.sequence = 0, .l1_bytes = 32 << 10, .l2_bytes = 1 << 20};
    ALT_CHECK_OK(disk_.store().CommitAndWait({store::CreateJob{job}}));
  }
  disk_.set_most_commit(options_.faults.most_commit);
  cut_off_until_.resize(static_cast<size_t>(options_.workers));
  names_.resize(cut_off_until_.size());
  for (size_t name = 0; name < names_.size(); ++name) StartWorker(name);
  server_.Boot();
  StartFaults();
}

void Cluster::StartWorker(size_t name) {
  const std::string text = absl::StrCat("w", name);
  workers_.push_back(std::make_unique<SimWorker>(
      text, &names_[name], &loop_, random_.Stream(text).Stream(workers_.size()), &measurer_,
      [this, name](auto report, auto answer) {
        Message(name, [this, name, report = std::move(report), answer = std::move(answer)] {
          if (!server_.up()) return;
          server_.OnCall(report, [this, name, answer](dispatch::Orders orders) {
            Message(name, [answer, orders = std::move(orders)] { answer(orders); });
          });
        });
      }));
  workers_.back()->Boot();
}

// One message, in either direction.
void Cluster::Message(size_t name, Deliver deliver) {
  const auto usual = [&] { return absl::Microseconds(random_.UniformInt(100, 20000)); };
  if (!faulty()) return loop_.After(usual(), std::move(deliver));
  if (loop_.now() < cut_off_until_[name] || random_.Bernoulli(options_.faults.lose)) return;
  const auto delay = [&] {
    return random_.Bernoulli(options_.faults.delay)
               ? options_.faults.most_delay * random_.UnitDouble()
               : usual();
  };
  if (random_.Bernoulli(options_.faults.repeat)) loop_.After(delay(), deliver);
  loop_.After(delay(), std::move(deliver));
}

void Cluster::Repeat(absl::Duration mean, std::function<void()> fault) {
  if (mean == absl::InfiniteDuration()) return;
  loop_.After(DrawWait(random_, mean), [this, mean, fault] {
    if (!faulty()) return;
    fault();
    Repeat(mean, fault);
  });
}

void Cluster::StartFaults() {
  const Faults& faults = options_.faults;
  const auto some_worker = [this] { return random_.Uniform(workers_.size()); };
  const auto some_name = [this] { return random_.Uniform(names_.size()); };
  const auto seconds = [this](int64_t most) {
    return absl::Milliseconds(random_.UniformInt(0, most * 1000));
  };
  Repeat(faults.worker_crash, [=, this] {
    SimWorker* worker = workers_[some_worker()].get();
    worker->Crash();
    loop_.After(seconds(40), [worker] { worker->Boot(); });
  });
  Repeat(faults.worker_restart, [=, this] { workers_[some_worker()]->Restart(); });
  Repeat(faults.worker_pause, [=, this] { workers_[some_worker()]->Pause(seconds(60)); });
  Repeat(faults.worker_twin, [=, this] { StartWorker(some_name()); });
  Repeat(faults.worker_cut_off,
         [=, this] { cut_off_until_[some_name()] = loop_.now() + seconds(60); });
  const auto mood = [=, this](absl::Duration mean, SimWorker::Mood mood) {
    Repeat(mean, [=, this] { workers_[some_worker()]->SetMood(mood, seconds(200)); });
  };
  mood(faults.worker_broken, SimWorker::Mood::kBroken);
  mood(faults.worker_mute, SimWorker::Mood::kMute);
  mood(faults.worker_lies, SimWorker::Mood::kLies);
  Repeat(faults.server_pause, [=, this] { server_.Pause(seconds(60)); });
  Repeat(faults.clock_jump,
         [=, this] { server_.JumpClock(absl::Seconds(random_.UniformInt(-90000, 90000))); });
  Repeat(faults.disk_full, [=, this] {
    disk_.set_full(true);
    loop_.After(seconds(20), [this] { disk_.set_full(false); });
  });
  Repeat(faults.server_crash, [=, this] {
    if (!server_.up()) return;
    server_.Crash();
    loop_.After(seconds(40), [this] { server_.Boot(); });
  });
}

bool Cluster::Run(absl::Duration most) {
  while (!server_.AllJobsRest()) {
    if (loop_.now() > most || !loop_.Step()) return false;
  }
  return true;
}

int64_t Cluster::measured() const {
  int64_t measured = 0;
  for (const auto& worker : workers_) measured += worker->measured();
  return measured;
}

}  // namespace alt::sim
