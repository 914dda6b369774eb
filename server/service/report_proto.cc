#include "server/service/report_proto.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/wire/bounds.h"
#include "common/wire/measure_wire.h"
#include "common/wire/time_wire.h"

namespace alt::service {
namespace {

using dispatch::LeaseReport;

constexpr size_t kMaxWorkerName = 100;
constexpr int kMaxLeases = 64;

absl::Status CheckWorkerName(absl::string_view name) {
  if (name.empty() || name.size() > kMaxWorkerName) {
    return absl::InvalidArgumentError(
        absl::StrCat("a worker's name has 1 to ", kMaxWorkerName, " characters"));
  }
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && !absl::StrContains("._-/:", c)) {
      return absl::InvalidArgumentError(
          "a worker's name consists of letters, digits and . _ - / :");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<LeaseReport> ReadLease(const v1::LeaseReport& lease) {
  LeaseReport out;
  ALT_RETURN_IF_ERROR(wire::CheckText("lease", lease.lease_id()));
  out.lease_id = lease.lease_id();
  switch (lease.state_case()) {
    case v1::LeaseReport::kExecuting:
      out.state = LeaseReport::State::kExecuting;
      ALT_RETURN_IF_ERROR(wire::CheckText("activity", lease.executing().activity()));
      out.activity = lease.executing().activity();
      out.waiting = lease.executing().waiting();
      out.steps = lease.executing().steps();
      break;
    case v1::LeaseReport::kFinished:
      out.state = LeaseReport::State::kFinished;
      break;
    case v1::LeaseReport::kHandedBack:
      out.state = LeaseReport::State::kHandedBack;
      ALT_RETURN_IF_ERROR(wire::CheckText("reason", lease.handed_back().reason()));
      out.reason = lease.handed_back().reason();
      break;
    case v1::LeaseReport::STATE_NOT_SET:
      return absl::InvalidArgumentError("a lease in a state that this version does not know");
  }
  ALT_RETURN_IF_ERROR(wire::CheckCount("results", lease.results_size(), wire::kMaxCandidates));
  for (const v1::CandidateResult& result : lease.results()) {
    ALT_RETURN_IF_ERROR(
        wire::CheckRange("position", result.position(), 0, wire::kMaxCandidates - 1));
    ALT_ASSIGN_OR_RETURN(measure::MeasureResult value, wire::FromProto(result.result()));
    out.results.emplace_back(result.position(), std::move(value));
  }
  if (lease.has_peak()) {
    ALT_ASSIGN_OR_RETURN(out.peak, wire::FromProto(lease.peak()));
  }
  return out;
}

v1::MeasureWork WorkOf(const dispatch::LeaseOrder& order) {
  measure::MeasureRequest request = *order.request;
  request.candidates.clear();
  for (const int64_t position : order.candidates) {
    request.candidates.push_back(order.request->candidates.at(static_cast<size_t>(position)));
  }
  return wire::ToProto(request);
}

}  // namespace

absl::StatusOr<dispatch::Report> FromProto(const v1::SynchronizeRequest& request) {
  dispatch::Report out;
  ALT_RETURN_IF_ERROR(CheckWorkerName(request.worker_name()));
  out.worker = request.worker_name();
  ALT_RETURN_IF_ERROR(wire::CheckName("session", request.session_id()));
  out.session = request.session_id();
  ALT_ASSIGN_OR_RETURN(out.facts, wire::FromProto(request.facts()));
  switch (request.state_case()) {
    case v1::SynchronizeRequest::kAccepting:
      ALT_RETURN_IF_ERROR(
          wire::CheckRange("capacity", request.accepting().capacity(), 1, kMaxLeases));
      out.capacity = request.accepting().capacity();
      break;
    case v1::SynchronizeRequest::kDraining:
      out.draining = true;
      break;
    case v1::SynchronizeRequest::kUnhealthy:
      ALT_RETURN_IF_ERROR(wire::CheckText("reason", request.unhealthy().reason()));
      out.unhealthy =
          request.unhealthy().reason().empty() ? "unhealthy" : request.unhealthy().reason();
      break;
    case v1::SynchronizeRequest::STATE_NOT_SET:
      return absl::InvalidArgumentError("a worker in a state that this version does not know");
  }
  ALT_RETURN_IF_ERROR(wire::CheckCount("leases", request.leases_size(), kMaxLeases));
  for (const v1::LeaseReport& lease : request.leases()) {
    ALT_ASSIGN_OR_RETURN(LeaseReport report, ReadLease(lease),
                         base::Annotate(_, absl::StrCat("lease ", lease.lease_id())));
    out.leases.push_back(std::move(report));
  }
  ALT_ASSIGN_OR_RETURN(out.max_wait, wire::FromProto(request.max_wait()));
  return out;
}

v1::SynchronizeResponse ToProto(const dispatch::Orders& orders) {
  v1::SynchronizeResponse out;
  for (const std::string& id : orders.acknowledged) out.add_acknowledged_lease_ids(id);
  for (const auto& [id, position] : orders.acknowledged_results) {
    v1::AcknowledgedResult& result = *out.add_acknowledged_results();
    result.set_lease_id(id);
    result.set_position(static_cast<int32_t>(position));
  }
  for (const dispatch::LeaseOrder& order : orders.execute) {
    v1::Lease& lease = *out.add_execute();
    lease.set_lease_id(order.lease_id);
    *lease.mutable_duration() = wire::ToProto(order.duration);
    if (!order.described) continue;
    if (order.peak_threads) {
      lease.mutable_peak()->set_threads(*order.peak_threads);
    } else {
      *lease.mutable_measure() = WorkOf(order);
    }
  }
  *out.mutable_next_call_in() = wire::ToProto(orders.next_call_in);
  return out;
}

}  // namespace alt::service
