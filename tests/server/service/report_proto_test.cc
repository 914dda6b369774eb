#include "server/service/report_proto.h"

#include <gtest/gtest.h>

#include <functional>

#include "common/wire/measure_wire.h"
#include "common/wire/time_wire.h"
#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using testing::StatusIs;

v1::SynchronizeRequest GoodRequest() {
  v1::SynchronizeRequest request;
  request.set_worker_name("box/cpu:0");
  request.set_session_id("s1");
  *request.mutable_facts() = wire::ToProto(measure::WorkerFacts{.target = TestTarget()});
  request.mutable_accepting()->set_capacity(2);
  return request;
}

TEST(ReportProtoTest, ReadsWhatAWorkerTells) {
  v1::SynchronizeRequest request = GoodRequest();
  *request.mutable_max_wait() = wire::ToProto(absl::Seconds(3));
  v1::LeaseReport& executing = *request.add_leases();
  executing.set_lease_id("a");
  executing.mutable_executing()->set_activity("waiting for cpu:0");
  executing.mutable_executing()->set_waiting(true);
  executing.mutable_executing()->set_steps(7);
  v1::LeaseReport& back = *request.add_leases();
  back.set_lease_id("b");
  back.mutable_handed_back()->set_reason("tired");
  v1::CandidateResult& result = *back.add_results();
  result.set_position(3);
  *result.mutable_result() = wire::ToProto(
      measure::MeasureResult{.outcome = measure::Outcome::kCrashed, .message = "signal 11"});

  ALT_ASSERT_OK_AND_ASSIGN(const dispatch::Report report, FromProto(request));
  EXPECT_EQ(report.worker, "box/cpu:0");
  EXPECT_EQ(report.capacity, 2);
  EXPECT_EQ(report.max_wait, absl::Seconds(3));
  ASSERT_EQ(report.leases.size(), 2u);
  EXPECT_EQ(report.leases[0].state, dispatch::LeaseReport::State::kExecuting);
  EXPECT_EQ(report.leases[0].activity, "waiting for cpu:0");
  EXPECT_TRUE(report.leases[0].waiting);
  EXPECT_EQ(report.leases[0].steps, 7);
  EXPECT_EQ(report.leases[1].state, dispatch::LeaseReport::State::kHandedBack);
  EXPECT_EQ(report.leases[1].reason, "tired");
  ASSERT_EQ(report.leases[1].results.size(), 1u);
  EXPECT_EQ(report.leases[1].results[0].first, 3);
  EXPECT_EQ(report.leases[1].results[0].second.outcome, measure::Outcome::kCrashed);
}

TEST(ReportProtoTest, ReadsStates) {
  v1::SynchronizeRequest request = GoodRequest();
  request.mutable_draining();
  EXPECT_TRUE(FromProto(request).value().draining);
  request.mutable_unhealthy()->set_reason("hot");
  EXPECT_EQ(FromProto(request).value().unhealthy, "hot");
  request.mutable_unhealthy()->clear_reason();
  EXPECT_FALSE(FromProto(request).value().unhealthy.empty());
}

TEST(ReportProtoTest, RefusesWhatIsOutOfBounds) {
  const std::vector<std::function<void(v1::SynchronizeRequest&)>> cases = {
      [](auto& r) { r.clear_worker_name(); },
      [](auto& r) { r.set_worker_name("a b"); },
      [](auto& r) { r.set_worker_name(std::string(200, 'a')); },
      [](auto& r) { r.clear_session_id(); },
      [](auto& r) { r.clear_facts(); },
      [](auto& r) { r.clear_accepting(); },
      [](auto& r) { r.mutable_accepting()->set_capacity(0); },
      [](auto& r) { r.mutable_accepting()->set_capacity(1000); },
      [](auto& r) { r.add_leases()->set_lease_id("x"); },  // no state
      [](auto& r) {
        for (int i = 0; i < 1000; ++i) r.add_leases()->mutable_executing();
      },
      [](auto& r) {
        v1::LeaseReport& lease = *r.add_leases();
        lease.mutable_finished();
        lease.add_results()->set_position(-1);
      },
      [](auto& r) {
        v1::LeaseReport& lease = *r.add_leases();
        lease.mutable_finished();
        lease.add_results();  // a result without outcome
      },
  };
  ALT_ASSERT_OK(FromProto(GoodRequest()).status());
  for (size_t i = 0; i < cases.size(); ++i) {
    v1::SynchronizeRequest request = GoodRequest();
    cases[i](request);
    EXPECT_TRUE(StatusIs(FromProto(request), absl::StatusCode::kInvalidArgument)) << "case " << i;
  }
}

TEST(ReportProtoTest, DescribesLeases) {
  auto request = std::make_shared<measure::MeasureRequest>();
  request->workload = TestWorkload();
  request->target = TestTarget();
  for (int64_t m : {1, 2, 3}) {
    request->candidates.push_back({.algorithm = {{workload::Winograd{m, m}}}});
  }
  dispatch::Orders orders{.acknowledged = {"done"},
                          .acknowledged_results = {{"c", 4}},
                          .next_call_in = absl::Seconds(2)};
  orders.execute.push_back(
      {.lease_id = "a", .request = request, .candidates = {2, 0}, .duration = absl::Seconds(10)});
  orders.execute.push_back({.lease_id = "b", .described = false});
  orders.execute.push_back({.lease_id = "p", .peak_threads = 3});
  const v1::SynchronizeResponse response = ToProto(orders);
  EXPECT_EQ(response.acknowledged_lease_ids(0), "done");
  EXPECT_EQ(response.acknowledged_results(0).position(), 4);
  ASSERT_EQ(response.execute_size(), 3);
  ASSERT_EQ(response.execute(0).measure().candidates_size(), 2);
  EXPECT_EQ(response.execute(0).measure().candidates(0), "algorithm winograd(3,3)\n");
  EXPECT_EQ(response.execute(0).measure().candidates(1), "algorithm winograd(1,1)\n");
  EXPECT_EQ(response.execute(1).work_case(), v1::Lease::WORK_NOT_SET);
  ASSERT_TRUE(response.execute(2).has_peak());
  EXPECT_EQ(response.execute(2).peak().threads(), 3);
  EXPECT_EQ(response.next_call_in().seconds(), 2);
}

}  // namespace
}  // namespace alt::service
