#include "server/dispatch/worker_registry.h"

#include <gtest/gtest.h>

#include "tests/server/dispatch/harness.h"

namespace alt::dispatch {
namespace {

Report ReportOf(const std::string& name, int64_t start) {
  return FakeWorker(name, start).MakeReport();
}

TEST(WorkerRegistryTest, ASessionIsNewOnceAndThenTheSame) {
  WorkerRegistry registry(10);
  EXPECT_EQ(registry.Admit(ReportOf("w", 5)), WorkerRegistry::Admission::kNew);
  registry.Add(ReportOf("w", 5), absl::Seconds(3));
  EXPECT_EQ(registry.Admit(ReportOf("w", 5)), WorkerRegistry::Admission::kSame);
  EXPECT_EQ(registry.Find("w")->last_call, absl::Seconds(3));
  EXPECT_EQ(registry.Find("v"), nullptr);
}

TEST(WorkerRegistryTest, TheSessionThatIsHeardOfLastHasTheName) {
  WorkerRegistry registry(10);
  registry.Add(ReportOf("w", 5), absl::ZeroDuration());
  EXPECT_EQ(registry.Admit(ReportOf("w", 4)), WorkerRegistry::Admission::kReplaces);
  registry.Remove("w");
  registry.Add(ReportOf("w", 4), absl::ZeroDuration(), {"session-5"});
  EXPECT_EQ(registry.Admit(ReportOf("w", 5)), WorkerRegistry::Admission::kRefused);
  EXPECT_EQ(registry.Admit(ReportOf("w", 4)), WorkerRegistry::Admission::kSame);
  EXPECT_EQ(registry.Admit(ReportOf("w", 6)), WorkerRegistry::Admission::kReplaces);
}

TEST(WorkerRegistryTest, TheLastFewSessionsOfANameAreRemembered) {
  WorkerRegistry registry(10);
  std::vector<std::string> former;
  for (int i = 0; i < 17; ++i) former.push_back("session-" + std::to_string(i));
  registry.Add(ReportOf("w", 100), absl::ZeroDuration(), former);
  EXPECT_EQ(registry.Admit(ReportOf("w", 0)), WorkerRegistry::Admission::kReplaces);
  EXPECT_EQ(registry.Admit(ReportOf("w", 1)), WorkerRegistry::Admission::kRefused);
}

TEST(WorkerRegistryTest, ItIsBounded) {
  WorkerRegistry registry(2);
  registry.Add(ReportOf("a", 1), absl::ZeroDuration());
  registry.Add(ReportOf("b", 1), absl::ZeroDuration());
  EXPECT_EQ(registry.Admit(ReportOf("c", 1)), WorkerRegistry::Admission::kFull);
  EXPECT_EQ(registry.Admit(ReportOf("a", 2)), WorkerRegistry::Admission::kReplaces);
  registry.Remove("a");
  EXPECT_EQ(registry.Admit(ReportOf("c", 1)), WorkerRegistry::Admission::kNew);
}

}  // namespace
}  // namespace alt::dispatch
