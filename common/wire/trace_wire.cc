#include "common/wire/trace_wire.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/ir/limits.h"
#include "common/wire/bounds.h"
#include "common/wire/layout_wire.h"

namespace alt::wire {
namespace {

using Names = google::protobuf::RepeatedPtrField<std::string>;

struct InstructionWriter {
  v1::Instruction& out;

  void operator()(const schedule::Split& i) {
    out.mutable_split()->set_stage(i.stage);
    out.mutable_split()->set_axis(i.axis);
    out.mutable_split()->mutable_factors()->Add(i.factors.begin(), i.factors.end());
  }
  void operator()(const schedule::Fuse& i) {
    out.mutable_fuse()->set_stage(i.stage);
    out.mutable_fuse()->mutable_axes()->Add(i.axes.begin(), i.axes.end());
  }
  void operator()(const schedule::Reorder& i) {
    out.mutable_reorder()->set_stage(i.stage);
    out.mutable_reorder()->mutable_axes()->Add(i.axes.begin(), i.axes.end());
  }
  void operator()(const schedule::ComputeAt& i) {
    out.mutable_compute_at()->set_stage(i.stage);
    out.mutable_compute_at()->set_target_stage(i.target_stage);
    out.mutable_compute_at()->set_target_axis(i.target_axis);
  }
  void operator()(const schedule::Inline& i) { out.mutable_inline_()->set_stage(i.stage); }
  void operator()(const schedule::Parallel& i) {
    out.mutable_parallel()->set_stage(i.stage);
    out.mutable_parallel()->set_axis(i.axis);
  }
  void operator()(const schedule::Vectorize& i) {
    out.mutable_vectorize()->set_stage(i.stage);
    out.mutable_vectorize()->set_axis(i.axis);
    out.mutable_vectorize()->set_lanes(i.lanes);
  }
  void operator()(const schedule::Unroll& i) {
    out.mutable_unroll()->set_stage(i.stage);
    out.mutable_unroll()->set_axis(i.axis);
  }
  void operator()(const schedule::Prefetch& i) {
    out.mutable_prefetch()->set_stage(i.stage);
    out.mutable_prefetch()->set_axis(i.axis);
    out.mutable_prefetch()->set_tensor(i.tensor);
    out.mutable_prefetch()->set_distance(i.distance);
  }
};

absl::StatusOr<std::vector<std::string>> ReadNames(absl::string_view what, const Names& names) {
  ALT_RETURN_IF_ERROR(CheckCount(absl::StrCat(what, " names"), names.size(), ir::kMaxRank));
  if (names.empty()) return absl::InvalidArgumentError(absl::StrCat("no ", what, " is named"));
  for (const std::string& name : names) ALT_RETURN_IF_ERROR(CheckName(what, name));
  return std::vector<std::string>(names.begin(), names.end());
}

// Every message that names one loop of a stage.
template <typename Message>
absl::Status CheckLoop(const Message& i) {
  ALT_RETURN_IF_ERROR(CheckName("stage", i.stage()));
  return CheckName("axis", i.axis());
}

absl::StatusOr<schedule::Instruction> Read(const v1::SplitLoop& i) {
  ALT_RETURN_IF_ERROR(CheckLoop(i));
  ALT_RETURN_IF_ERROR(CheckCount("factors", i.factors_size(), ir::kMaxFactors));
  if (i.factors().empty()) return absl::InvalidArgumentError("no factors");
  int64_t product = 1;
  for (const int64_t factor : i.factors()) {
    ALT_RETURN_IF_ERROR(CheckRange("factor", factor, 1, kMaxExtent / product));
    product *= factor;
  }
  return schedule::Split{
      .stage = i.stage(), .axis = i.axis(), .factors = {i.factors().begin(), i.factors().end()}};
}

absl::StatusOr<schedule::Instruction> Read(const v1::FuseLoops& i) {
  ALT_RETURN_IF_ERROR(CheckName("stage", i.stage()));
  ALT_ASSIGN_OR_RETURN(std::vector<std::string> axes, ReadNames("axis", i.axes()));
  if (axes.size() < 2) return absl::InvalidArgumentError("fuse takes at least two axes");
  return schedule::Fuse{.stage = i.stage(), .axes = std::move(axes)};
}

absl::StatusOr<schedule::Instruction> Read(const v1::ReorderLoops& i) {
  ALT_RETURN_IF_ERROR(CheckName("stage", i.stage()));
  ALT_ASSIGN_OR_RETURN(std::vector<std::string> axes, ReadNames("axis", i.axes()));
  return schedule::Reorder{.stage = i.stage(), .axes = std::move(axes)};
}

absl::StatusOr<schedule::Instruction> Read(const v1::ComputeAt& i) {
  ALT_RETURN_IF_ERROR(CheckName("stage", i.stage()));
  ALT_RETURN_IF_ERROR(CheckName("target stage", i.target_stage()));
  ALT_RETURN_IF_ERROR(CheckName("target axis", i.target_axis()));
  return schedule::ComputeAt{
      .stage = i.stage(), .target_stage = i.target_stage(), .target_axis = i.target_axis()};
}

absl::StatusOr<schedule::Instruction> Read(const v1::Inline& i) {
  ALT_RETURN_IF_ERROR(CheckName("stage", i.stage()));
  return schedule::Inline{.stage = i.stage()};
}

absl::StatusOr<schedule::Instruction> Read(const v1::Parallel& i) {
  ALT_RETURN_IF_ERROR(CheckLoop(i));
  return schedule::Parallel{.stage = i.stage(), .axis = i.axis()};
}

absl::StatusOr<schedule::Instruction> Read(const v1::Vectorize& i) {
  ALT_RETURN_IF_ERROR(CheckLoop(i));
  ALT_RETURN_IF_ERROR(CheckRange("lanes", i.lanes(), 0, 1024));
  return schedule::Vectorize{.stage = i.stage(), .axis = i.axis(), .lanes = i.lanes()};
}

absl::StatusOr<schedule::Instruction> Read(const v1::Unroll& i) {
  ALT_RETURN_IF_ERROR(CheckLoop(i));
  return schedule::Unroll{.stage = i.stage(), .axis = i.axis()};
}

absl::StatusOr<schedule::Instruction> Read(const v1::Prefetch& i) {
  ALT_RETURN_IF_ERROR(CheckLoop(i));
  ALT_RETURN_IF_ERROR(CheckName("tensor", i.tensor()));
  ALT_RETURN_IF_ERROR(CheckRange("distance", i.distance(), 1, kMaxExtent));
  return schedule::Prefetch{
      .stage = i.stage(), .axis = i.axis(), .tensor = i.tensor(), .distance = i.distance()};
}

}  // namespace

v1::Instruction ToProto(const schedule::Instruction& instruction) {
  v1::Instruction out;
  std::visit(InstructionWriter{out}, instruction);
  return out;
}

v1::Trace ToProto(const schedule::Trace& trace) {
  v1::Trace out;
  for (const schedule::Instruction& i : trace.instructions) *out.add_instructions() = ToProto(i);
  return out;
}

v1::Candidate ToProto(const workload::Candidate& candidate) {
  v1::Candidate out;
  out.set_algorithm(workload::Print(candidate.algorithm));
  for (const auto& [tensor, layout] : candidate.layouts) {
    (*out.mutable_layouts())[tensor] = ToProto(layout);
  }
  *out.mutable_trace() = ToProto(candidate.trace);
  return out;
}

absl::StatusOr<schedule::Instruction> FromProto(const v1::Instruction& instruction) {
  switch (instruction.kind_case()) {
    case v1::Instruction::kSplit:
      return Read(instruction.split());
    case v1::Instruction::kFuse:
      return Read(instruction.fuse());
    case v1::Instruction::kReorder:
      return Read(instruction.reorder());
    case v1::Instruction::kComputeAt:
      return Read(instruction.compute_at());
    case v1::Instruction::kInline:
      return Read(instruction.inline_());
    case v1::Instruction::kParallel:
      return Read(instruction.parallel());
    case v1::Instruction::kVectorize:
      return Read(instruction.vectorize());
    case v1::Instruction::kUnroll:
      return Read(instruction.unroll());
    case v1::Instruction::kPrefetch:
      return Read(instruction.prefetch());
    case v1::Instruction::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("an instruction of a kind that this version does not know");
}

absl::StatusOr<schedule::Trace> FromProto(const v1::Trace& trace) {
  ALT_RETURN_IF_ERROR(
      CheckCount("instructions", trace.instructions_size(), schedule::kMaxInstructions));
  schedule::Trace out;
  for (int i = 0; i < trace.instructions_size(); ++i) {
    ALT_ASSIGN_OR_RETURN(schedule::Instruction instruction, FromProto(trace.instructions(i)),
                         base::Annotate(_, absl::StrCat("instruction ", i)));
    out.instructions.push_back(std::move(instruction));
  }
  return out;
}

absl::StatusOr<workload::Candidate> FromProto(const v1::Candidate& candidate) {
  ALT_RETURN_IF_ERROR(CheckCount("layouts", candidate.layouts_size(), kMaxTensors));
  workload::Candidate out;
  ALT_ASSIGN_OR_RETURN(out.algorithm, workload::ParseAlgorithm(candidate.algorithm()));
  for (const auto& [tensor, layout] : candidate.layouts()) {
    ALT_RETURN_IF_ERROR(CheckName("tensor", tensor));
    ALT_ASSIGN_OR_RETURN(layout::Layout value, FromProto(layout),
                         base::Annotate(_, absl::StrCat("layout of ", tensor)));
    out.layouts.emplace(tensor, std::move(value));
  }
  ALT_ASSIGN_OR_RETURN(out.trace, FromProto(candidate.trace()));
  return out;
}

}  // namespace alt::wire
