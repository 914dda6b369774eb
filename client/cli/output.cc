#include "client/cli/output.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/workload/layout_text.h"

namespace alt::cli {
namespace {

// Tensors of the graph that exist in memory, with their logical shapes and names of dimensions.
struct TensorShape {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<std::string> dims;
};

std::vector<TensorShape> Tensors(const workload::Workload& workload,
                                 const workload::Candidate& candidate) {
  std::vector<TensorShape> out;
  const auto graph = workload::MakeGraph(workload, candidate.algorithm);
  if (!graph.ok()) return out;
  for (const te::Tensor& tensor : graph->tensors) {
    out.push_back({.name = tensor.buffer->name,
                   .shape = tensor.buffer->shape,
                   .dims = workload::DimNames(*graph, tensor)});
  }
  return out;
}

}  // namespace

std::string ShortName(const workload::Workload& workload) {
  const std::string text = workload::Print(workload);
  const size_t start = text.find(':') + 1, end = std::min(text.find(';'), text.size());
  std::vector<std::string> attributes =
      absl::StrSplit(text.substr(start, end - start), ',', absl::SkipEmpty());
  const auto join = [&](const std::vector<std::string>& kept) {
    return absl::StrCat(text.substr(0, start), absl::StrJoin(kept, ","), text.substr(end));
  };
  for (size_t i = attributes.size(); i-- > 0;) {
    std::vector<std::string> fewer = attributes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const auto parsed = workload::Parse(join(fewer));
    if (parsed.ok() && *parsed == workload) attributes = std::move(fewer);
  }
  return join(attributes);
}

std::string FormatDate(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M", time, absl::LocalTimeZone());
}

std::string FormatUtc(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

std::string Counted(int64_t n, absl::string_view noun) {
  return absl::StrCat(n, " ", noun, n == 1 ? "" : "s");
}

std::string FormatTrial(int64_t trial) { return trial > 0 ? absl::StrCat(trial) : ""; }

Json ToJson(const measure::Latency& latency) {
  return {{"min", latency.min_ns},
          {"median", latency.median_ns},
          {"mad", latency.mad_ns},
          {"n", latency.n}};
}

SpecText Describe(const job::JobSpec& spec, bool full) {
  SpecText out{.kind = std::string(job::KindName(spec)),
               .target = target::PrintTarget(job::TargetOf(spec))};
  const workload::Workload* workload = nullptr;
  if (const auto* tune = std::get_if<job::TuneSpec>(&spec)) workload = &tune->workload;
  if (const auto* bench = std::get_if<job::BenchSpec>(&spec)) workload = &bench->workload;
  if (workload) out.workload = full ? workload::Print(*workload) : ShortName(*workload);
  return out;
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

Json ToJson(const job::Job& job) {
  const SpecText text = Describe(job.spec);
  Json out = {{"job", job.id},
              {"kind", text.kind},
              {"state", std::string(job::JobStateName(job.state))},
              {"reason", job.reason},
              {"workload", text.workload},
              {"target", text.target},
              {"created", FormatUtc(job.created)}};
  if (const auto* tune = std::get_if<job::TuneProgress>(&job.progress)) {
    out["trials"] = tune->trials;
    out["trials_wanted"] = std::get<job::TuneSpec>(job.spec).trials;
    if (tune->best) out["best_ns"] = tune->best->latency.median_ns;
  }
  return out;
}

Json ResultJson(const job::Job& job) {
  const auto* spec = std::get_if<job::TuneSpec>(&job.spec);
  const auto* tune = std::get_if<job::TuneProgress>(&job.progress);
  return spec != nullptr && tune != nullptr ? ToJson(job, *spec, *tune) : ToJson(job);
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
  if (progress.disturbed) out["disturbed"] = true;
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
