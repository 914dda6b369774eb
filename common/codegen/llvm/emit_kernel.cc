#include "common/codegen/llvm/emit_kernel.h"

#include <vector>

namespace alt::codegen {
namespace {

// void <name>_run(T* param0, ..., void* workspace, alt_pool* pool)
llvm::Function* DeclareRun(ModuleState* state, const ir::Function& f) {
  llvm::LLVMContext& context = state->module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  const std::vector<llvm::Type*> types(f.params.size() + 2, pointer);
  auto* run =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                             llvm::GlobalValue::ExternalLinkage, f.name + "_run", state->module);
  run->addFnAttrs(state->attributes);
  const llvm::Attribute aligned =
      llvm::Attribute::getWithAlignment(context, llvm::Align(kBufferAlignment));
  for (unsigned i = 0; i <= f.params.size(); ++i) {
    run->getArg(i)->addAttr(llvm::Attribute::NoAlias);
    run->getArg(i)->addAttr(aligned);
    run->getArg(i)->setName(i < f.params.size() ? f.params[i]->name : "workspace");
  }
  run->getArg(static_cast<unsigned>(f.params.size()) + 1)->setName("pool");
  return run;
}

// void <name>_call(void* const* params, void* workspace, alt_pool* pool)
void EmitCall(ModuleState* state, const ir::Function& f, llvm::Function* run) {
  llvm::IRBuilder<> builder(state->module.getContext());
  llvm::Type* pointer = builder.getPtrTy();
  auto* call = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer}, false),
      llvm::GlobalValue::ExternalLinkage, f.name + "_call", state->module);
  call->addFnAttrs(state->attributes);
  builder.SetInsertPoint(llvm::BasicBlock::Create(builder.getContext(), "entry", call));
  std::vector<llvm::Value*> arguments;
  for (unsigned i = 0; i < f.params.size(); ++i) {
    arguments.push_back(
        builder.CreateLoad(pointer, builder.CreateConstGEP1_64(pointer, call->getArg(0), i)));
  }
  arguments.push_back(call->getArg(1));
  arguments.push_back(call->getArg(2));
  builder.CreateCall(run, arguments);
  builder.CreateRetVoid();
}

}  // namespace

int64_t EmitKernel(ModuleState* state, const ir::Function& f) {
  const StoragePlan plan = PlanStorage(f, state->outline_parallel);
  llvm::Function* run = DeclareRun(state, f);
  FunctionEmitter emitter(state, &plan, run);
  unsigned argument = 0;
  for (const ir::Buffer& param : f.params) emitter.BindBuffer(param, run->getArg(argument++));
  llvm::Value* workspace = run->getArg(argument++);
  emitter.BindThread(workspace, state->outline_parallel ? run->getArg(argument) : nullptr);
  emitter.EmitBody(f.body);
  EmitCall(state, f, run);
  return plan.workspace_bytes;
}

}  // namespace alt::codegen
