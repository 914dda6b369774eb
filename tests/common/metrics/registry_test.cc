#include "common/metrics/registry.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"

namespace alt::metrics {
namespace {

::testing::AssertionResult Contains(const std::string& text, const std::string& part) {
  if (absl::StrContains(text, part)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << part << "' in\n" << text;
}

TEST(RegistryTest, CountersPrintWithHelpAndLabels) {
  Registry registry;
  Counter& ok = registry.AddCounter("alt_worker_trials_total", "Trials.", {{"result", "ok"}});
  ok.Increment();
  ok.Increment(2);
  registry.AddCounter("alt_worker_trials_total", "Trials.", {{"result", "crashed"}}).Increment();
  const std::string text = registry.Text();
  EXPECT_TRUE(Contains(text, "# HELP alt_worker_trials_total Trials.\n"));
  EXPECT_TRUE(Contains(text, "# TYPE alt_worker_trials_total counter\n"));
  EXPECT_TRUE(Contains(text, "alt_worker_trials_total{result=\"ok\"} 3\n"));
  EXPECT_TRUE(Contains(text, "alt_worker_trials_total{result=\"crashed\"} 1\n"));
}

TEST(RegistryTest, TheSameNameAndLabelsAreTheSameMetric) {
  Registry registry;
  Counter& first = registry.AddCounter("alt_server_jobs_total", "Jobs.");
  EXPECT_EQ(&first, &registry.AddCounter("alt_server_jobs_total", "Jobs."));
  EXPECT_NE(&first, &registry.AddCounter("alt_server_jobs_total", "Jobs.", {{"kind", "bench"}}));
}

TEST(RegistryTest, GaugesGoUpAndDown) {
  Registry registry;
  Gauge& gauge = registry.AddGauge("alt_server_workers", "Workers.");
  gauge.Set(5);
  gauge.Add(-2);
  EXPECT_EQ(gauge.Value(), 3);
  EXPECT_TRUE(Contains(registry.Text(), "alt_server_workers 3\n"));
}

TEST(RegistryTest, ReadGaugesAreAskedEachTime) {
  Registry registry;
  int length = 1;
  registry.AddGauge("alt_server_queue_batches", "Waiting.", {}, [&] { return length; });
  EXPECT_TRUE(Contains(registry.Text(), "alt_server_queue_batches 1\n"));
  length = 7;
  EXPECT_TRUE(Contains(registry.Text(), "alt_server_queue_batches 7\n"));
}

TEST(RegistryTest, HistogramsCountIntoBuckets) {
  Registry registry;
  Histogram& histogram =
      registry.AddHistogram("alt_server_query_seconds", "Time.", ExponentialBounds(0.5, 2, 2));
  histogram.Observe(0.5);
  histogram.Observe(0.75);
  histogram.Observe(9);
  const std::string text = registry.Text();
  EXPECT_TRUE(Contains(text, "alt_server_query_seconds_bucket{le=\"0.5\"} 1\n"));
  EXPECT_TRUE(Contains(text, "alt_server_query_seconds_bucket{le=\"1\"} 2\n"));
  EXPECT_TRUE(Contains(text, "alt_server_query_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_TRUE(Contains(text, "alt_server_query_seconds_count 3\n"));
}

TEST(RegistryTest, ThreadsMayCountTogether) {
  Registry registry;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) registry.AddCounter("alt_server_x_total", "X.").Increment();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(registry.AddCounter("alt_server_x_total", "X.").Value(), 400);
}

TEST(RegistryDeathTest, ABadNameOrTypeStops) {
  Registry registry;
  registry.AddGauge("alt_server_workers", "Workers.");
  EXPECT_DEATH(registry.AddCounter("alt_server_jobs", "Jobs."), "alt_server_jobs");
  EXPECT_DEATH(registry.AddGauge("alt_server_jobs_total", "Jobs."), "alt_server_jobs_total");
  EXPECT_DEATH(registry.AddGauge("jobs", "Jobs."), "jobs");
  EXPECT_DEATH(registry.AddGauge("alt_Jobs", "Jobs."), "alt_Jobs");
  EXPECT_DEATH(registry.AddHistogram("alt_server_workers", "W.", {1}), "another type");
  EXPECT_DEATH(registry.AddCounter("alt_server_jobs_total", "Jobs.").Increment(-1), ">= 0.0");
}

}  // namespace
}  // namespace alt::metrics
