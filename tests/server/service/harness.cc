#include "tests/server/service/harness.h"

#include <utility>

#include "absl/time/clock.h"
#include "common/base/check.h"
#include "server/store/memory_tuning_store.h"
#include "server/store/sqlite_tuning_store.h"

namespace alt::service {

bool Eventually(const std::function<bool()>& condition) {
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(2));
  }
  return true;
}

target::Target TestTarget(int threads) {
  auto target = target::ParseTarget("cpu:mcpu=skylake-avx512,vec=512,threads=1");
  ALT_CHECK_OK(target.status());
  target->threads = threads;
  return *target;
}

workload::Workload TestWorkload(const std::string& text) {
  const auto workload = workload::Parse(text);
  ALT_CHECK_OK(workload.status());
  return *workload;
}

job::TuneSpec TestTune(int64_t trials, uint64_t seed) {
  return {.workload = TestWorkload(),
          .target = TestTarget(),
          .policy = "random",  // the cheapest to propose
          .trials = trials,
          .seed = seed};
}

class TestWorker::Slow : public measure::Measurer {
 public:
  Slow(measure::Measurer& inner, std::function<void()> before)
      : inner_(inner), before_(std::move(before)) {}
  std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                              absl::FunctionRef<bool()> cancelled) override {
    if (before_) before_();
    return inner_.Measure(request, cancelled);
  }

 private:
  measure::Measurer& inner_;
  const std::function<void()> before_;
};

TestWorker::TestWorker(const std::string& address, Options options)
    : fake_(options.measurer),
      measurer_(std::make_unique<Slow>(fake_, std::move(options.before_measure))) {
  agent::AgentOptions agent{
      .name = options.name,
      .session_id = options.session,
      .facts = {.target = TestTarget(options.threads), .memory_bytes = options.memory_bytes},
      .activity = options.activity};
  agent_ = std::make_unique<agent::WorkerAgent>(
      std::move(agent), agent::MakeGrpcWorkerChannel(address), *measurer_,
      [](int threads, absl::FunctionRef<bool()>) {
        return measure::Peak{
            .gflops_1t = 100, .gflops = 100.0 * threads, .threads = threads, .read_gbs = 20};
      });
  thread_ = std::thread([this] { status_ = agent_->Run(); });
}

absl::Status TestWorker::Join() {
  if (thread_.joinable()) thread_.join();
  return status_;
}

TestWorker::~TestWorker() {
  Drain();
  Join().IgnoreError();
}

TestServer::TestServer(bool on_disk, ServerOptions options,
                       std::unique_ptr<store::TuningStore> store)
    : on_disk_(on_disk), options_(std::move(options)), store_(std::move(store)) {
  options_.listen = "unix:" + dir_.File("s");
  address_ = options_.listen;
  Start();
}

void TestServer::Start() {
  registry_ = std::make_unique<metrics::Registry>();
  if (on_disk_) {
    auto store = store::OpenSqliteTuningStore({.path = dir_.File("alt.db")});
    ALT_CHECK_OK(store.status());
    store_ = *std::move(store);
  } else if (store_ == nullptr) {
    store_ = store::MakeMemoryTuningStore();
  }
  auto server = TuningServer::Start(options_, *store_, *registry_, clock_);
  ALT_CHECK_OK(server.status());
  server_ = *std::move(server);
}

void TestServer::Stop() {
  server_.reset();
  if (on_disk_) store_.reset();
}

std::unique_ptr<client::TuningClient> TestServer::Connect() const {
  auto client = client::TuningClient::Connect(address_);
  ALT_CHECK_OK(client->WaitUntilServing(absl::Seconds(30)));
  return client;
}

}  // namespace alt::service
