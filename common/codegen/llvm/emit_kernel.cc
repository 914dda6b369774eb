#include "common/codegen/llvm/emit_kernel.h"

#include <algorithm>
#include <string>
#include <vector>

namespace alt::codegen {
namespace {

using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;
using llvm::Value;

// result <name>(T* param0, ..., void* workspace, alt_pool* pool)
Function* Declare(ModuleState* state, const ir::Function& f, const std::string& name,
                  GlobalValue::LinkageTypes linkage, llvm::Type* result) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(state->module.getContext());
  const std::vector<llvm::Type*> types(f.params.size() + 2, pointer);
  auto* function =
      Function::Create(FunctionType::get(result, types, false), linkage, name, state->module);
  function->addFnAttrs(state->attributes);
  for (unsigned i = 0; i < f.params.size(); ++i) function->getArg(i)->setName(f.params[i]->name);
  const auto workspace = static_cast<unsigned>(f.params.size());
  function->getArg(workspace)->setName("workspace");
  function->getArg(workspace + 1)->setName("pool");
  return function;
}

// void <name>(T* param0, ..., void* workspace, alt_pool* pool), which does the function's work.
// Returns the bytes of workspace that a thread needs.
int64_t EmitWork(ModuleState* state, const ir::Function& f, const std::string& name,
                 GlobalValue::LinkageTypes linkage) {
  state->buffer_alignment = f.alignment_bytes;
  const StoragePlan plan = PlanStorage(f, state->outline_parallel);
  Function* work =
      Declare(state, f, name, linkage, llvm::Type::getVoidTy(state->module.getContext()));
  for (unsigned i = 0; i <= f.params.size(); ++i) {
    work->getArg(i)->addAttr(llvm::Attribute::NoAlias);
    work->getArg(i)->addAttr(AlignmentAttribute(*state));
  }
  FunctionEmitter emitter(state, &plan, work);
  unsigned argument = 0;
  for (const ir::Buffer& param : f.params) emitter.BindBuffer(param, work->getArg(argument++));
  Value* workspace = work->getArg(argument++);
  emitter.BindThread(workspace, state->outline_parallel ? work->getArg(argument) : nullptr);
  emitter.EmitBody(f.body);
  return plan.workspace_bytes;
}

// result <name>_call(void* const* params, void* workspace, alt_pool* pool): calls `run`, which has
// the same result.
void EmitCall(ModuleState* state, const ir::Function& f, Function* run) {
  llvm::IRBuilder<> builder(state->module.getContext());
  llvm::Type* pointer = builder.getPtrTy();
  auto* call =
      Function::Create(FunctionType::get(run->getReturnType(), {pointer, pointer, pointer}, false),
                       GlobalValue::ExternalLinkage, f.name + "_call", state->module);
  call->addFnAttrs(state->attributes);
  builder.SetInsertPoint(llvm::BasicBlock::Create(builder.getContext(), "entry", call));
  std::vector<Value*> arguments;
  for (unsigned i = 0; i < f.params.size(); ++i) {
    arguments.push_back(
        builder.CreateLoad(pointer, builder.CreateConstGEP1_64(pointer, call->getArg(0), i)));
  }
  arguments.push_back(call->getArg(1));
  arguments.push_back(call->getArg(2));
  Value* result = builder.CreateCall(run, arguments);
  if (run->getReturnType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(result);
  }
}

// Leaves `function` with kUnaligned when a parameter or the workspace is not aligned.
void EmitAlignmentCheck(llvm::IRBuilder<>& builder, const ir::Function& f, Function* function) {
  llvm::LLVMContext& context = builder.getContext();
  Value* low_bits = builder.getInt64(0);
  for (unsigned i = 0; i <= f.params.size(); ++i) {
    low_bits = builder.CreateOr(low_bits,
                                builder.CreatePtrToInt(function->getArg(i), builder.getInt64Ty()));
  }
  low_bits =
      builder.CreateAnd(low_bits, builder.getInt64(static_cast<uint64_t>(f.alignment_bytes - 1)));
  auto* unaligned = llvm::BasicBlock::Create(context, "unaligned", function);
  auto* aligned = llvm::BasicBlock::Create(context, "aligned", function);
  builder.CreateCondBr(builder.CreateIsNotNull(low_bits), unaligned, aligned);
  builder.SetInsertPoint(unaligned);
  builder.CreateRet(builder.getInt32(kUnaligned));
  builder.SetInsertPoint(aligned);
}

// int32_t <name>_run(T* param0, ..., void* workspace, alt_pool* pool): checks, then calls `work`.
Function* EmitCheckedRun(ModuleState* state, const ir::Function& f, Function* work, bool check) {
  llvm::IRBuilder<> builder(state->module.getContext());
  Function* run =
      Declare(state, f, f.name + "_run", GlobalValue::ExternalLinkage, builder.getInt32Ty());
  builder.SetInsertPoint(llvm::BasicBlock::Create(builder.getContext(), "entry", run));
  if (check) EmitAlignmentCheck(builder, f, run);
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : run->args()) arguments.push_back(&argument);
  builder.CreateCall(work, arguments);
  builder.CreateRet(builder.getInt32(0));
  return run;
}

void EmitText(ModuleState* state, const std::string& symbol, const std::string& text) {
  llvm::Constant* value =
      llvm::ConstantDataArray::getString(state->module.getContext(), text, /*AddNull=*/true);
  // The module owns it.
  new llvm::GlobalVariable(state->module, value->getType(), /*isConstant=*/true,
                           GlobalValue::ExternalLinkage, value, symbol);
}

}  // namespace

int64_t EmitKernels(ModuleState* state, const ir::Module& module) {
  int64_t workspace_bytes = 0;
  for (const ir::Function& f : module.functions) {
    const std::string run = f.name + "_run";
    workspace_bytes =
        std::max(workspace_bytes, EmitWork(state, f, run, GlobalValue::ExternalLinkage));
    EmitCall(state, f, state->module.getFunction(run));
  }
  return workspace_bytes;
}

int64_t EmitLibrary(ModuleState* state, const ir::Module& module, const LibraryOptions& options) {
  const ir::Function& kernel = module.functions[0];
  const std::string work = kernel.name + "_work";
  int64_t workspace_bytes = EmitWork(state, kernel, work, GlobalValue::InternalLinkage);
  EmitCall(state, kernel,
           EmitCheckedRun(state, kernel, state->module.getFunction(work), options.check_alignment));
  for (size_t i = 1; i < module.functions.size(); ++i) {
    const ir::Function& f = module.functions[i];
    workspace_bytes =
        std::max(workspace_bytes, EmitWork(state, f, f.name, GlobalValue::ExternalLinkage));
  }
  EmitText(state, options.text_symbol, options.text(workspace_bytes));
  return workspace_bytes;
}

}  // namespace alt::codegen
