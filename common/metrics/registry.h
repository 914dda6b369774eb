// Numbers that a program counts about itself, in Prometheus' text format for the server's /metrics.
//
// Names are alt_<program>_<thing>_<unit> with base units (seconds, bytes); counters end in _total;
// labels are few and their values bounded (result, device kind), never ids.
#ifndef COMMON_METRICS_REGISTRY_H_
#define COMMON_METRICS_REGISTRY_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alt::metrics {

using Labels = std::map<std::string, std::string>;

// A sum that only grows. Safe from every thread, as are the others.
class Counter {
 public:
  virtual ~Counter() = default;
  // amount >= 0
  virtual void Increment(double amount = 1) = 0;
  virtual double Value() const = 0;
};

// A value that goes up and down.
class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void Set(double value) = 0;
  virtual void Add(double amount) = 0;
  virtual double Value() const = 0;
};

// How observations are spread over buckets.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void Observe(double value) = 0;
};

// Owns all metrics of one program; they live as long as it does. Safe from every thread. Asking
// again for a name with the same labels gives the same object; a name of the wrong form or of
// another type is a broken invariant (ALT_CHECK).
class Registry {
 public:
  Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry();

  Counter& AddCounter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& AddGauge(const std::string& name, const std::string& help, const Labels& labels = {});
  // Upper bounds of the buckets, ascending; one without bound follows.
  Histogram& AddHistogram(const std::string& name, const std::string& help,
                          const std::vector<double>& bounds, const Labels& labels = {});

  // A gauge whose value is asked for at each Text(), from that thread: lengths of queues and the
  // like. `read` must stay callable as long as the registry lives and must not call it.
  void AddGauge(const std::string& name, const std::string& help, const Labels& labels,
                std::function<double()> read);

  // All metrics in the text format, version 0.0.4.
  std::string Text() const;
  static const char* TextContentType();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// `count` bounds, each `factor` times the one before: ExponentialBounds(0.001, 2, 10).
std::vector<double> ExponentialBounds(double first, double factor, int count);

}  // namespace alt::metrics

#endif  // COMMON_METRICS_REGISTRY_H_
