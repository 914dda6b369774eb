#include "common/target/target.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/call_text.h"
#include "common/base/check.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/target/cpu_models.h"

namespace alt::target {
namespace {

const std::vector<std::string>& KindNames() {
  static const auto* const names = new std::vector<std::string>{"cpu", "cuda", "opencl"};
  return *names;
}

// What the text of a cpu says; absent is not said.
struct CpuAttributes {
  std::optional<std::string> mcpu;
  std::optional<int> vec;
  std::optional<int> threads;
};

absl::Status Invalid(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("target '", text, "': ", why));
}

absl::Status CheckVectorBits(int vec_bits, absl::string_view mcpu, int most_bits) {
  const bool power_of_two = (vec_bits & (vec_bits - 1)) == 0;
  if (!power_of_two || vec_bits < 128) {
    return absl::InvalidArgumentError(
        absl::StrCat("vec=", vec_bits, " is no vector length; use 128, 256 or 512"));
  }
  if (vec_bits <= most_bits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("vec=", vec_bits, " is too wide: vectors of ", mcpu, " have ", most_bits));
}

absl::Status SetAttribute(absl::string_view name, absl::string_view value, CpuAttributes& out) {
  if (name == "mcpu" && !out.mcpu) {
    out.mcpu = std::string(value);
  } else if (name == "vec" && !out.vec) {
    ALT_ASSIGN_OR_RETURN(out.vec, base::ParseIntInRange("vec", value, 128, 4096));
  } else if (name == "threads" && !out.threads) {
    ALT_ASSIGN_OR_RETURN(out.threads, base::ParseIntInRange("threads", value, 1, kMaxThreads));
  } else if (name == "mcpu" || name == "vec" || name == "threads") {
    return absl::InvalidArgumentError(absl::StrCat(name, " is given twice"));
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown attribute '", name, "'", base::DidYouMean(name, {"mcpu", "vec", "threads"})));
  }
  return absl::OkStatus();
}

absl::StatusOr<CpuAttributes> ParseAttributes(absl::string_view text) {
  CpuAttributes attributes;
  if (text.empty()) return attributes;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (sides.size() != 2) {
      return absl::InvalidArgumentError(absl::StrCat("'", part, "' is not name=value"));
    }
    ALT_RETURN_IF_ERROR(SetAttribute(sides[0], sides[1], attributes));
  }
  return attributes;
}

absl::StatusOr<Target> ParseCpu(absl::string_view text, const Target* defaults) {
  ALT_ASSIGN_OR_RETURN(const CpuAttributes said, ParseAttributes(text));
  Target target;
  target.kind = TargetKind::kCpu;
  if (!said.mcpu && defaults == nullptr) return absl::InvalidArgumentError("mcpu= is missing");
  target.mcpu = said.mcpu ? *said.mcpu : defaults->mcpu;
  const std::optional<CpuModel> model = FindCpuModel(target.mcpu);
  if (!model) {
    return absl::InvalidArgumentError(absl::StrCat("unknown CPU '", target.mcpu, "'",
                                                   base::DidYouMean(target.mcpu, CpuModelNames())));
  }
  target.vec_bits = said.vec ? *said.vec : said.mcpu ? model->vec_bits : defaults->vec_bits;
  ALT_RETURN_IF_ERROR(CheckVectorBits(target.vec_bits, target.mcpu, model->vec_bits));
  target.threads = said.threads ? *said.threads : defaults != nullptr ? defaults->threads : 1;
  return target;
}

absl::StatusOr<Target> ParseCuda(absl::string_view text) {
  absl::string_view digits = text;
  const bool prefixed = absl::ConsumePrefix(&digits, "sm_");
  const absl::StatusOr<int64_t> version = base::ParseIntInRange("sm", digits, 10, 9999);
  if (!prefixed || !version.ok()) {
    return absl::InvalidArgumentError("an architecture such as sm_90 is missing");
  }
  return Target{.kind = TargetKind::kCuda, .mcpu = absl::StrCat("sm_", *version)};
}

absl::StatusOr<Target> ParseOpencl(absl::string_view text) {
  const bool plain =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == absl::string_view::npos;
  if (text.empty() || !plain) {
    return absl::InvalidArgumentError(
        "a platform such as pocl is missing; names have lower-case letters, digits, - _ and .");
  }
  return Target{.kind = TargetKind::kOpencl, .mcpu = std::string(text)};
}

absl::StatusOr<Target> Parse(absl::string_view text, const Target* defaults) {
  constexpr size_t kMaxTextBytes = 256;
  ALT_RETURN_IF_ERROR(base::CheckLength("target", text, kMaxTextBytes));
  const std::vector<absl::string_view> sides = absl::StrSplit(text, absl::MaxSplits(':', 1));
  ALT_ASSIGN_OR_RETURN(const TargetKind kind, ParseTargetKind(sides[0]),
                       Invalid(text, _.message()));
  const absl::string_view rest = sides.size() == 2 ? sides[1] : "";
  absl::StatusOr<Target> target = kind == TargetKind::kCpu    ? ParseCpu(rest, defaults)
                                  : kind == TargetKind::kCuda ? ParseCuda(rest)
                                                              : ParseOpencl(rest);
  if (!target.ok()) return Invalid(text, target.status().message());
  return target;
}

}  // namespace

bool Serves(const Target& machine, const Target& wanted) {
  return machine.kind == wanted.kind && machine.mcpu == wanted.mcpu &&
         machine.vec_bits >= wanted.vec_bits && machine.threads >= wanted.threads;
}

absl::string_view TargetKindName(TargetKind kind) { return KindNames()[static_cast<size_t>(kind)]; }

absl::StatusOr<TargetKind> ParseTargetKind(absl::string_view name) {
  for (TargetKind kind : {TargetKind::kCpu, TargetKind::kCuda, TargetKind::kOpencl}) {
    if (TargetKindName(kind) == name) return kind;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown kind '", name, "', not cpu, cuda or opencl", base::DidYouMean(name, KindNames())));
}

absl::StatusOr<Target> ParseTarget(absl::string_view text) { return Parse(text, nullptr); }

absl::StatusOr<Target> ParseTargetWithDefaults(absl::string_view text, const Target& defaults) {
  return Parse(text, defaults.kind == TargetKind::kCpu ? &defaults : nullptr);
}

std::string PrintTarget(const Target& target) {
  const absl::string_view kind = TargetKindName(target.kind);
  if (target.kind != TargetKind::kCpu) return absl::StrCat(kind, ":", target.mcpu);
  return absl::StrCat(kind, ":mcpu=", target.mcpu, ",vec=", target.vec_bits,
                      ",threads=", target.threads);
}

int VecLanes(const Target& target, int element_bits) {
  ALT_CHECK_GT(element_bits, 0);
  return target.vec_bits / element_bits;
}

int NumVectorRegisters(const Target& target) {
  if (target.kind != TargetKind::kCpu) return 64;
  const std::optional<CpuModel> model = FindCpuModel(target.mcpu);
  if (!model) return 16;
  const bool many = model->arch == CpuModel::Arch::kArm64 || model->vec_bits >= 512;
  return many ? 32 : 16;
}

}  // namespace alt::target
