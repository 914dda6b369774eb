// A whole service in one process: server, workers around fake measurers, client; over a unix
// socket.
#ifndef TESTS_SERVER_SERVICE_HARNESS_H_
#define TESTS_SERVER_SERVICE_HARNESS_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "client/include/alt/tuning_client.h"
#include "common/base/clock.h"
#include "common/metrics/registry.h"
#include "server/service/tuning_server.h"
#include "server/store/tuning_store.h"
#include "tests/testing/fake_measurer.h"
#include "tests/testing/paths.h"
#include "worker/agent/worker_agent.h"
#include "worker/measure/activity.h"

namespace alt::service {

// Waits for something that other threads do. False after a time that only a hang takes.
bool Eventually(const std::function<bool()>& condition);

target::Target TestTarget(int threads = 1);
workload::Workload TestWorkload(const std::string& text = "matmul:m=64,n=64,k=64");

// A worker on a thread of its own. Drained at the end unless it was abandoned.
class TestWorker {
 public:
  struct Options {
    std::string name = "w0";
    testing::FakeMeasurer::Options measurer;
    std::string session = "s1";
    int threads = 4;
    int64_t memory_bytes = 0;  // 0: does not say
    // Waits before each measurement, so that a test can act in the middle of a job.
    std::function<void()> before_measure;
    const worker::Activity* activity = nullptr;  // what it says that it is at
  };
  TestWorker(const std::string& address, Options options);
  ~TestWorker();

  void Drain() { agent_->Drain(); }
  // Run's answer; waits for it.
  absl::Status Join();
  const testing::FakeMeasurer& measurer() const { return fake_; }

 private:
  class Slow;

  testing::FakeMeasurer fake_;
  std::unique_ptr<measure::Measurer> measurer_;
  std::unique_ptr<agent::WorkerAgent> agent_;
  absl::Status status_;
  std::thread thread_;
};

// A server on a socket in a folder of its own.
class TestServer {
 public:
  // A database file in the folder, or a store in memory.
  explicit TestServer(bool on_disk = false, ServerOptions options = {})
      : TestServer(on_disk, std::move(options), nullptr) {}
  TestServer(ServerOptions options, std::unique_ptr<store::TuningStore> store)
      : TestServer(/*on_disk=*/false, std::move(options), std::move(store)) {}
  ~TestServer() { Stop(); }

  // As SIGTERM would; Start goes on in a new life.
  void Stop();
  void Start();

  const std::string& address() const { return address_; }
  store::TuningStore& store() { return *store_; }
  metrics::Registry& registry() { return *registry_; }
  // A new client.
  std::unique_ptr<client::TuningClient> Connect() const;
  std::string File(const std::string& name) const { return dir_.File(name); }

 private:
  TestServer(bool on_disk, ServerOptions options, std::unique_ptr<store::TuningStore> store);

  const bool on_disk_;
  ServerOptions options_;
  testing::TempDir dir_;
  base::RealClock clock_;
  std::string address_;
  std::unique_ptr<metrics::Registry> registry_;
  std::unique_ptr<store::TuningStore> store_;
  std::unique_ptr<TuningServer> server_;
};

// A tuning job for TestWorkload and TestTarget.
job::TuneSpec TestTune(int64_t trials, uint64_t seed = 1);

}  // namespace alt::service

#endif  // TESTS_SERVER_SERVICE_HARNESS_H_
