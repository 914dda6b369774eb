#include "common/target/host.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "tests/testing/status_matchers.h"

namespace alt::target {
namespace {

TEST(HostTest, TheHostTargetIsOneThatParses) {
  const Target host = HostTarget(2);
  EXPECT_EQ(host.threads, 2);
  ALT_ASSERT_OK_AND_ASSIGN(const Target again, ParseTarget(PrintTarget(host)));
  EXPECT_EQ(again, host);
}

TEST(HostTest, FactsAreConsistent) {
  const HostFacts facts = DetectHostFacts();
  EXPECT_GE(facts.threads, 1);
  EXPECT_LE(facts.threads, facts.cpus);
  EXPECT_LE(facts.usable_cores, facts.threads);
  EXPECT_LE(facts.usable_cores, facts.cores);
  EXPECT_LE(facts.cores, facts.cpus);
  EXPECT_GE(facts.vec_bits, 128);
  EXPECT_FALSE(facts.cpu_name.empty());
  if (facts.l2_bytes > 0) {
    EXPECT_GE(facts.l2_bytes, facts.l1d_bytes);
  }
}

TEST(HostTest, ThreadsFollowTheAffinity) {
  HostFacts facts;
  // In a thread of its own, so that the rest of the program keeps its CPUs.
  std::thread pinned([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    facts = DetectHostFacts();
  });
  pinned.join();
  EXPECT_EQ(facts.threads, 1);
  EXPECT_EQ(facts.usable_cores, 1);
}

}  // namespace
}  // namespace alt::target
