#include "server/dispatch/plausible.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/server/dispatch/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::dispatch {
namespace {

measure::MeasureRequest RequestOf(const std::string& workload, int threads = 1) {
  measure::MeasureRequest request;
  request.workload = *workload::Parse(workload);
  request.target = CpuTarget(threads);
  return request;
}

TEST(PlausibleTest, NoMachineDoesMoreThanItsUnitsCan) {
  // 2.1 GFLOP at 416 GFLOP/s a core take 5.2 ms; half of that is left for slack.
  const measure::MeasureRequest request = RequestOf("matmul:m=1024,n=1024,k=1024");
  const double least = ImplausibleBelowNs(request, {});
  EXPECT_NEAR(least, 2.58e6, 0.01e6);
  EXPECT_NEAR(ImplausibleBelowNs(RequestOf("matmul:m=1024,n=1024,k=1024", 8), {}), least / 8, 1);
  EXPECT_EQ(WhyImplausible(Ok(least * 1.01), request, {}), "");
  EXPECT_NE(WhyImplausible(Ok(least * 0.99), request, {}), "");
}

TEST(PlausibleTest, ANarrowTargetOfAWideMachineHasTheMachinesLimits) {
  measure::MeasureRequest request = RequestOf("matmul:m=1024,n=1024,k=1024");
  const double least = ImplausibleBelowNs(request, {});
  request.target.vec_bits = 128;
  EXPECT_EQ(ImplausibleBelowNs(request, {}), least);
  request.target.mcpu = "haswell";
  EXPECT_EQ(ImplausibleBelowNs(request, {}), least * 2);
}

TEST(PlausibleTest, BytesMustComeFromTheCache) {
  // A product of one column: 4 MiB of operand for 2 MFLOP.
  const measure::MeasureRequest request = RequestOf("matmul:m=1024,n=1,k=1024");
  EXPECT_GT(ImplausibleBelowNs(request, {}), 1500);
}

TEST(PlausibleTest, AnAlgorithmThatSavesProductsMayBeFaster) {
  const measure::MeasureRequest request =
      RequestOf("conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1");
  workload::Candidate winograd;
  winograd.algorithm = *workload::ParseAlgorithm("winograd(4,4)");
  EXPECT_LT(ImplausibleBelowNs(request, winograd), ImplausibleBelowNs(request, {}) / 3);
}

TEST(PlausibleTest, TapsThatMeetPaddingNeedNotBeComputed) {
  // Of three times three taps one meets the input.
  const measure::MeasureRequest request =
      RequestOf("conv2d:n=1,ic=512,ih=1,iw=1,oc=512,kh=3,kw=3,pad=1");
  EXPECT_EQ(workload::LeastFlops(request.workload), 2.0 * 512 * 512);
}

TEST(PlausibleTest, WhatIsNoNumberCannotBe) {
  const measure::MeasureRequest request = RequestOf("matmul:m=64,n=64,k=64");
  for (const double ns : {1e-300, 0.0, -1.0, std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(WhyImplausible(Ok(ns), request, {}), "") << ns;
  }
  measure::MeasureResult result = Ok(1e6);
  result.latency->min_ns = 1e-300;
  EXPECT_NE(WhyImplausible(result, request, {}), "") << "the fastest batch counts too";
  result = Ok(1e6);
  result.peak_gflops = 1e6;
  EXPECT_NE(WhyImplausible(result, request, {}), "");
  result.peak_gflops = 120;
  EXPECT_EQ(WhyImplausible(result, request, {}), "");
}

TEST(PlausibleTest, LimitsOfAMachineAreThoseOfSomeMachine) {
  measure::Peak peak{.gflops_1t = 150, .gflops = 290, .threads = 2, .read_gbs = 30};
  EXPECT_EQ(WhyImplausible(peak, CpuTarget(2)), "");
  peak.gflops = 1e4;
  EXPECT_NE(WhyImplausible(peak, CpuTarget(2)).find("where no cpu:"), std::string::npos);
  peak = {.gflops_1t = 150, .gflops = 290, .threads = 2, .read_gbs = 1e9};
  EXPECT_NE(WhyImplausible(peak, CpuTarget(2)), "");
}

}  // namespace
}  // namespace alt::dispatch
