#include "common/wire/target_wire.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/wire/bounds.h"

namespace alt::wire {
namespace {

// Parsing the text is the check: what it does not give back, it does not know.
absl::StatusOr<target::Target> Checked(const target::Target& target) {
  ALT_RETURN_IF_ERROR(CheckName("mcpu", target.mcpu));
  ALT_ASSIGN_OR_RETURN(target::Target parsed, target::ParseTarget(target::PrintTarget(target)));
  if (parsed != target) {
    return absl::InvalidArgumentError(absl::StrCat("not a target: ", target::PrintTarget(target)));
  }
  return parsed;
}

absl::StatusOr<target::Target> ParseGpu(target::TargetKind kind, const std::string& name) {
  ALT_RETURN_IF_ERROR(CheckName("architecture", name));
  return target::ParseTarget(absl::StrCat(target::TargetKindName(kind), ":", name));
}

}  // namespace

v1::Target ToProto(const target::Target& target) {
  v1::Target out;
  switch (target.kind) {
    case target::TargetKind::kCpu:
      out.mutable_cpu()->set_mcpu(target.mcpu);
      out.mutable_cpu()->set_vec_bits(target.vec_bits);
      out.mutable_cpu()->set_threads(target.threads);
      break;
    case target::TargetKind::kCuda:
      out.mutable_cuda()->set_architecture(target.mcpu);
      break;
    case target::TargetKind::kOpencl:
      out.mutable_opencl()->set_platform(target.mcpu);
      break;
  }
  return out;
}

absl::StatusOr<target::Target> FromProto(const v1::Target& target) {
  switch (target.kind_case()) {
    case v1::Target::kCpu:
      return Checked({.kind = target::TargetKind::kCpu,
                      .mcpu = target.cpu().mcpu(),
                      .vec_bits = target.cpu().vec_bits(),
                      .threads = target.cpu().threads()});
    case v1::Target::kCuda:
      return ParseGpu(target::TargetKind::kCuda, target.cuda().architecture());
    case v1::Target::kOpencl:
      return ParseGpu(target::TargetKind::kOpencl, target.opencl().platform());
    case v1::Target::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a target of a kind that this version does not know");
}

}  // namespace alt::wire
