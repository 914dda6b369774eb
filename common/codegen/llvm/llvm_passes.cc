#include "common/codegen/llvm/llvm_passes.h"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>

#include "common/codegen/llvm/code_facts.h"

namespace alt::codegen {

absl::Status AddCodePasses(llvm::LLVMTargetMachine& machine, llvm::CodeGenFileType type,
                           llvm::legacy::PassManager& passes, llvm::raw_pwrite_stream& out,
                           runtime::CodeFacts* facts) {
  // What addPassesToEmitFile does, with a pass of ours before the printer.
  auto* modules = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(modules);
  if (config->addISelPasses()) return absl::InternalError("LLVM: no instruction selection");
  config->addMachinePasses();
  config->setInitialized();
  if (facts != nullptr) passes.add(NewCodeFactsPass(facts));
  if (machine.addAsmPrinter(passes, out, nullptr, type, modules->getMMI().getContext())) {
    return absl::InternalError("LLVM: no printer of machine code");
  }
  passes.add(llvm::createFreeMachineFunctionPass());
  return absl::OkStatus();
}

}  // namespace alt::codegen
