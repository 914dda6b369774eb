// A server, workers and the network between them, with faults, from a seed.
#ifndef TESTS_SIM_CLUSTER_H_
#define TESTS_SIM_CLUSTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/event_queue.h"
#include "tests/sim/faults.h"
#include "tests/sim/sim_disk.h"
#include "tests/sim/sim_server.h"
#include "tests/sim/sim_worker.h"

namespace alt::sim {

struct ClusterOptions {
  uint64_t seed = 1;
  int workers = 2;
  Faults faults;
  absl::Duration faults_until;  // then everything works
  std::vector<job::TuneSpec> jobs;
};

class Cluster {
 public:
  explicit Cluster(ClusterOptions options);

  // Runs until all jobs rest; false when they do not within the time.
  bool Run(absl::Duration most);

  store::TuningStore& store() { return disk_.store(); }
  SimDisk& disk() { return disk_; }
  SimServer& server() { return server_; }
  absl::Duration now() const { return loop_.now(); }
  int64_t measured() const;

 private:
  using Deliver = std::function<void()>;
  bool faulty() const { return loop_.now() < options_.faults_until; }
  void StartWorker(size_t name);
  void Message(size_t name, Deliver deliver);
  // Every `mean`, while there are faults.
  void Repeat(absl::Duration mean, std::function<void()> fault);
  void StartFaults();

  const ClusterOptions options_;
  base::Random random_;
  EventQueue loop_;
  SimDisk disk_;
  SimServer server_;
  testing::FakeMeasurer measurer_;
  std::vector<std::unique_ptr<SimWorker>> workers_;  // several may have the same name
  // By name.
  std::vector<SimName> names_;
  std::vector<absl::Duration> cut_off_until_;
};

}  // namespace alt::sim

#endif  // TESTS_SIM_CLUSTER_H_
