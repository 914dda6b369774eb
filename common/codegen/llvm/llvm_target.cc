#include "common/codegen/llvm/llvm_target.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include "absl/strings/str_cat.h"
#include "common/codegen/llvm/llvm_status.h"

namespace alt::codegen {
namespace {

absl::Status UnknownTarget(const target::Target& target, absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("generate code for ", target::PrintTarget(target), ": ", reason));
}

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::LLVMTargetMachine>> CreateTargetMachine(
    const target::Target& target) {
  if (target.kind != target::TargetKind::kCpu) return UnknownTarget(target, "not a CPU");
  const std::optional<target::CpuModel> model = target::FindCpuModel(target.mcpu);
  if (!model) return UnknownTarget(target, "unknown CPU");
  InitializeLlvm();
  const std::string triple = model->arch == target::CpuModel::Arch::kX86
                                 ? "x86_64-unknown-linux-gnu"
                                 : "aarch64-unknown-linux-gnu";
  std::string error;
  const llvm::Target* registered = llvm::TargetRegistry::lookupTarget(triple, error);
  if (registered == nullptr) return UnknownTarget(target, error);

  llvm::TargetOptions options;
  // Sums and products carry the `contract` flag where they may be fused; nothing else is.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  auto* machine = static_cast<llvm::LLVMTargetMachine*>(registered->createTargetMachine(
      triple, target.mcpu, /*Features=*/"", options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return UnknownTarget(target, "LLVM has no machine for it");
  std::unique_ptr<llvm::LLVMTargetMachine> owned(machine);
  if (!owned->getMCSubtargetInfo()->isCPUStringValid(target.mcpu)) {
    return UnknownTarget(target, "this LLVM does not know the CPU");
  }
  return owned;
}

llvm::AttrBuilder FunctionAttributes(const target::Target& target, llvm::LLVMContext& context) {
  llvm::AttrBuilder attributes(context);
  attributes.addAttribute(llvm::Attribute::NoUnwind);
  attributes.addAttribute("target-cpu", target.mcpu);
  attributes.addAttribute("tune-cpu", target.mcpu);
  // LLVM splits 512-bit vectors for some Intel CPUs unless it is told not to.
  attributes.addAttribute("prefer-vector-width", absl::StrCat(target.vec_bits));
  attributes.addAttribute("min-legal-vector-width", absl::StrCat(target.vec_bits));
  attributes.addAttribute("no-trapping-math", "true");
  return attributes;
}

}  // namespace alt::codegen
