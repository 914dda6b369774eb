#include "common/codegen/llvm/code_facts.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/CodeGen/PseudoSourceValue.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/InitializePasses.h>

namespace alt::codegen {
namespace {

constexpr int64_t kVectorBytes = 16;

class CodeFactsPass : public llvm::MachineFunctionPass {
 public:
  static char id;

  explicit CodeFactsPass(runtime::CodeFacts* facts) : MachineFunctionPass(id), facts_(*facts) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    usage.addRequired<llvm::MachineLoopInfoWrapperPass>();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    instructions_ = function.getSubtarget().getInstrInfo();
    registers_ = function.getSubtarget().getRegisterInfo();
    const auto& loops = getAnalysis<llvm::MachineLoopInfoWrapperPass>().getLI();
    for (const llvm::MachineBasicBlock& block : function) {
      const llvm::MachineLoop* loop = loops.getLoopFor(&block);
      const bool innermost = loop != nullptr && loop->getSubLoops().empty();
      for (const llvm::MachineInstr& instruction : block) Count(instruction, innermost);
    }
    return false;
  }

 private:
  void Count(const llvm::MachineInstr& instruction, bool innermost) {
    if (instruction.isMetaInstruction()) return;
    if (IsVectorFma(instruction)) ++facts_.vector_fmas;
    if (IsVectorLoad(instruction)) ++facts_.vector_loads;
    if (!IsVectorSpill(instruction)) return;
    ++facts_.spills;
    if (innermost) ++facts_.inner_loop_spills;
  }

  llvm::StringRef NameOf(const llvm::MachineInstr& instruction) const {
    return instructions_->getName(instruction.getOpcode());
  }

  // x86: VFMADD231PSZr; Arm: FMLAv4f32.
  bool IsVectorFma(const llvm::MachineInstr& instruction) const {
    const llvm::StringRef name = NameOf(instruction);
    if (name.starts_with("FMLA") || name.starts_with("FMLS")) return true;
    if (!name.starts_with("VFMADD") && !name.starts_with("VFNMADD") &&
        !name.starts_with("VFMSUB") && !name.starts_with("VFNMSUB")) {
      return false;
    }
    return name.contains("PS") || name.contains("PD");
  }

  // A load of at least 16 bytes, or of one number into every lane, also as an operand (the names
  // of x86 then end in mb and its mask variants).
  bool IsVectorLoad(const llvm::MachineInstr& instruction) const {
    if (!instruction.mayLoad()) return false;
    const llvm::StringRef name = NameOf(instruction);
    if (name.starts_with("VBROADCAST") || name.contains("mb") || name.starts_with("LD1R")) {
      return true;
    }
    for (const llvm::MachineMemOperand* memory : instruction.memoperands()) {
      if (memory->isLoad() && memory->getSize().hasValue() &&
          memory->getSize().getValue() >= kVectorBytes) {
        return true;
      }
    }
    return false;
  }

  bool IsVectorSpill(const llvm::MachineInstr& instruction) const {
    const llvm::MachineFrameInfo& frame = instruction.getMF()->getFrameInfo();
    for (const llvm::MachineMemOperand* memory : instruction.memoperands()) {
      const auto* slot =
          llvm::dyn_cast_or_null<llvm::FixedStackPseudoSourceValue>(memory->getPseudoValue());
      if (slot == nullptr || !frame.isSpillSlotObjectIndex(slot->getFrameIndex())) continue;
      if (frame.getObjectSize(slot->getFrameIndex()) >= kVectorBytes) return true;
      // A scalar float is a spilled vector register too.
      if (HasVectorRegister(instruction)) return true;
    }
    return false;
  }

  bool HasVectorRegister(const llvm::MachineInstr& instruction) const {
    for (const llvm::MachineOperand& operand : instruction.operands()) {
      if (!operand.isReg() || !operand.getReg().isPhysical()) continue;
      const llvm::StringRef name = registers_->getName(operand.getReg());
      if (name.starts_with("XMM") || (name[0] == 'S' && name != "SP") || name[0] == 'D')
        return true;
    }
    return false;
  }

  runtime::CodeFacts& facts_;
  const llvm::TargetInstrInfo* instructions_ = nullptr;
  const llvm::TargetRegisterInfo* registers_ = nullptr;
};

char CodeFactsPass::id = 0;

}  // namespace

llvm::FunctionPass* NewCodeFactsPass(runtime::CodeFacts* facts) { return new CodeFactsPass(facts); }

}  // namespace alt::codegen
