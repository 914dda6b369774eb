#include "common/metrics/registry.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "common/base/check.h"

namespace alt::metrics {
namespace {

class CounterImpl : public Counter {
 public:
  explicit CounterImpl(prometheus::Counter& counter) : counter_(counter) {}
  void Increment(double amount) override {
    ALT_CHECK_GE(amount, 0.0);
    counter_.Increment(amount);
  }
  double Value() const override { return counter_.Value(); }

 private:
  prometheus::Counter& counter_;
};

class GaugeImpl : public Gauge {
 public:
  explicit GaugeImpl(prometheus::Gauge& gauge) : gauge_(gauge) {}
  void Set(double value) override { gauge_.Set(value); }
  void Add(double amount) override { gauge_.Increment(amount); }
  double Value() const override { return gauge_.Value(); }

 private:
  prometheus::Gauge& gauge_;
};

class HistogramImpl : public Histogram {
 public:
  explicit HistogramImpl(prometheus::Histogram& histogram) : histogram_(histogram) {}
  void Observe(double value) override { histogram_.Observe(value); }

 private:
  prometheus::Histogram& histogram_;
};

// Lower-case words joined by underscores, beginning with "alt".
bool IsGoodName(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain && absl::StartsWith(name, "alt_") && !absl::StrContains(name, "__") &&
         !absl::EndsWith(name, "_");
}

enum class Type { kCounter, kGauge, kHistogram };

}  // namespace

class Registry::Impl {
 public:
  // The metric with this name and these labels, made by `make` when it is new.
  template <typename Metric, typename Make>
  Metric& Find(Type type, const std::string& name, const Labels& labels, Make make) {
    absl::MutexLock lock(&mutex_);
    ALT_CHECK(IsGoodName(name)) << name;
    ALT_CHECK_EQ(absl::EndsWith(name, "_total"), type == Type::kCounter) << name;
    const auto [found, is_new] = types_.emplace(name, type);
    // prometheus-cpp would throw.
    ALT_CHECK(is_new || found->second == type) << name << " has another type";
    std::unique_ptr<Metric>& slot = Metrics<Metric>()[{name, labels}];
    if (slot == nullptr) slot = make(registry_);
    return *slot;
  }

  void AddRead(Gauge& gauge, std::function<double()> read) {
    absl::MutexLock lock(&mutex_);
    reads_.emplace_back(&gauge, std::move(read));
  }

  std::string Text() {
    absl::MutexLock lock(&mutex_);
    for (auto& [gauge, read] : reads_) gauge->Set(read());
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  template <typename Metric>
  using ByNameAndLabels = std::map<std::pair<std::string, Labels>, std::unique_ptr<Metric>>;

  template <typename Metric>
  ByNameAndLabels<Metric>& Metrics() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if constexpr (std::is_same_v<Metric, Counter>) return counters_;
    if constexpr (std::is_same_v<Metric, Gauge>) return gauges_;
    if constexpr (std::is_same_v<Metric, Histogram>) return histograms_;
  }

  prometheus::Registry registry_;
  absl::Mutex mutex_;
  std::map<std::string, Type> types_ ABSL_GUARDED_BY(mutex_);
  ByNameAndLabels<Counter> counters_ ABSL_GUARDED_BY(mutex_);
  ByNameAndLabels<Gauge> gauges_ ABSL_GUARDED_BY(mutex_);
  ByNameAndLabels<Histogram> histograms_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<Gauge*, std::function<double()>>> reads_ ABSL_GUARDED_BY(mutex_);
};

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;

Counter& Registry::AddCounter(const std::string& name, const std::string& help,
                              const Labels& labels) {
  return impl_->Find<Counter>(Type::kCounter, name, labels, [&](prometheus::Registry& registry) {
    auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry);
    return std::make_unique<CounterImpl>(family.Add(labels));
  });
}

Gauge& Registry::AddGauge(const std::string& name, const std::string& help, const Labels& labels) {
  return impl_->Find<Gauge>(Type::kGauge, name, labels, [&](prometheus::Registry& registry) {
    auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(registry);
    return std::make_unique<GaugeImpl>(family.Add(labels));
  });
}

Histogram& Registry::AddHistogram(const std::string& name, const std::string& help,
                                  const std::vector<double>& bounds, const Labels& labels) {
  ALT_CHECK(std::is_sorted(bounds.begin(), bounds.end())) << name;
  return impl_->Find<Histogram>(
      Type::kHistogram, name, labels, [&](prometheus::Registry& registry) {
        auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
        return std::make_unique<HistogramImpl>(family.Add(labels, bounds));
      });
}

void Registry::AddGauge(const std::string& name, const std::string& help, const Labels& labels,
                        std::function<double()> read) {
  impl_->AddRead(AddGauge(name, help, labels), std::move(read));
}

std::string Registry::Text() const { return impl_->Text(); }

const char* Registry::TextContentType() { return "text/plain; version=0.0.4; charset=utf-8"; }

std::vector<double> ExponentialBounds(double first, double factor, int count) {
  ALT_CHECK_GT(first, 0.0);
  ALT_CHECK_GT(factor, 1.0);
  std::vector<double> bounds;
  for (double bound = first; static_cast<int>(bounds.size()) < count; bound *= factor) {
    bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace alt::metrics
