#include "client/cli/output.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/context.h"

namespace alt::cli {
namespace {

// Tensors of the graph that exist in memory, with their logical shapes and names of dimensions.
struct TensorShape {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<std::string> dims;
};

// What indexes each dimension: the spatial axes of the stage that writes the tensor; for external
// tensors the names that ONNX uses.
std::vector<std::string> DimNames(const te::Graph& graph, const te::Tensor& tensor) {
  if (const te::Stage* stage = graph.Producer(tensor.buffer)) {
    std::vector<std::string> out;
    for (const te::Axis& axis : stage->spatial) out.push_back(axis.name());
    return out;
  }
  const size_t rank = tensor.buffer->shape.size();
  const std::string& name = tensor.buffer->name;
  if (rank == 4 && name == "x") return {"n", "c", "h", "w"};
  if (rank == 4 && name == "w") return {"o", "i", "kh", "kw"};
  if (rank == 2) {
    return name == "a" ? std::vector<std::string>{"m", "k"} : std::vector<std::string>{"k", "n"};
  }
  std::vector<std::string> out;
  for (size_t i = 0; i < rank; ++i) out.push_back(absl::StrCat("d", i));
  return out;
}

std::vector<TensorShape> Tensors(const workload::Workload& workload,
                                 const workload::Candidate& candidate) {
  std::vector<TensorShape> out;
  const auto graph = workload::MakeGraph(workload, candidate.algorithm);
  if (!graph.ok()) return out;
  for (const te::Tensor& tensor : graph->tensors) {
    out.push_back({.name = tensor.buffer->name,
                   .shape = tensor.buffer->shape,
                   .dims = DimNames(*graph, tensor)});
  }
  return out;
}

}  // namespace

void PrintJson(const Json& json) {
  // Texts of ours are UTF-8; what a compiler said may not be.
  Out(absl::StrCat(json.dump(2, ' ', false, Json::error_handler_t::replace), "\n"));
}

Json ToJson(const measure::Latency& latency) {
  return {{"min", latency.min_ns},
          {"median", latency.median_ns},
          {"mad", latency.mad_ns},
          {"n", latency.n}};
}

Json LayoutsJson(const workload::Workload& workload, const workload::Candidate& candidate) {
  Json out = Json::object();
  for (const TensorShape& tensor : Tensors(workload, candidate)) out[tensor.name] = "";
  for (const auto& [tensor, layout] : candidate.layouts) out[tensor] = layout::Print(layout);
  return out;
}

Json ToJson(const workload::Workload& workload, const workload::Candidate& candidate) {
  return {{"algorithm", workload::Print(candidate.algorithm)},
          {"layouts", LayoutsJson(workload, candidate)},
          {"trace", schedule::Print(candidate.trace)}};
}

Json OutcomesJson(const job::TuneProgress& progress) {
  Json out = Json::object();
  for (const auto& [outcome, count] : progress.outcomes) {
    if (count > 0) out[std::string(measure::OutcomeName(outcome))] = count;
  }
  return out;
}

Json ToJson(const job::Job& job, const job::TuneSpec& spec, const job::TuneProgress& progress) {
  Json out = {{"job", job.id},
              {"state", std::string(job::JobStateName(job.state))},
              {"workload", workload::Print(spec.workload)},
              {"target", target::PrintTarget(spec.target)},
              {"policy", spec.policy},
              {"seed", spec.seed},
              {"trials", progress.trials},
              {"proposals", progress.proposals},
              {"outcomes", OutcomesJson(progress)},
              {"wall_s", absl::ToDoubleSeconds(job.active)},
              {"time_s",
               {{"propose", progress.propose_seconds},
                {"build", progress.seconds.build},
                {"check", progress.seconds.check},
                {"run", progress.seconds.run},
                {"wait", progress.seconds.wait}}}};
  if (progress.best) {
    Json best = {{"record", progress.best->record}};
    best.update(ToJson(spec.workload, progress.best->candidate));
    best["latency_ns"] = ToJson(progress.best->latency);
    best["gflops"] = GflopsOf(spec.workload, progress.best->latency);
    if (const auto share = PeakShare(spec, progress)) best["peak_fraction"] = *share;
    out["best"] = std::move(best);
  }
  if (progress.default_latency) out["default_latency_ns"] = ToJson(*progress.default_latency);
  Json curve = Json::array();
  for (const job::CurvePoint& point : progress.curve) {
    curve.push_back({point.trial, point.seconds, point.best_ns});
  }
  out["curve"] = std::move(curve);
  if (!job.reason.empty()) out["reason"] = job.reason;
  return out;
}

double GflopsOf(const workload::Workload& workload, const measure::Latency& latency) {
  return latency.median_ns > 0 ? workload::Flops(workload) / latency.median_ns : 0;
}

std::optional<double> PeakShare(const job::TuneSpec& spec, const job::TuneProgress& progress) {
  if (!progress.best) return std::nullopt;
  double peak = progress.best->peak_gflops.value_or(0);
  if (peak <= 0 && progress.machine_peak) {
    peak = spec.target.threads == progress.machine_peak->threads
               ? progress.machine_peak->gflops
               : progress.machine_peak->gflops_1t * spec.target.threads;
  }
  if (peak <= 0) return std::nullopt;
  return GflopsOf(spec.workload, progress.best->latency) / peak;
}

std::string DescribeLayouts(const workload::Workload& workload,
                            const workload::Candidate& candidate) {
  std::string out;
  for (const TensorShape& tensor : Tensors(workload, candidate)) {
    const auto layout = candidate.layouts.find(tensor.name);
    const layout::Layout plain;
    const layout::Layout& value = layout == candidate.layouts.end() ? plain : layout->second;
    absl::StrAppendFormat(&out, "  %-6s [%s]  %s\n", tensor.name, absl::StrJoin(tensor.shape, "x"),
                          layout::PrintBlocks(value, tensor.shape, tensor.dims));
    if (!value.primitives.empty()) {
      absl::StrAppendFormat(&out, "  %-6s %s\n", "", layout::Print(value));
    }
  }
  return out;
}

std::string DescribeOutcomes(const job::TuneProgress& progress) {
  return absl::StrJoin(progress.outcomes, ", ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, std::string(measure::OutcomeName(entry.first)), " ", entry.second);
  });
}

}  // namespace alt::cli
