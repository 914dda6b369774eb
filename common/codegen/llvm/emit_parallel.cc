// Parallel loops. The body becomes two functions: `body`, internal, which takes everything by
// argument (so that noalias holds) and runs a range of iterations; and `thunk`, an alt_loop_body
// (kernel_abi.h), which takes the arguments out of a context on the caller's stack.

#include "common/codegen/llvm/captures.h"
#include "common/codegen/llvm/function_emitter.h"

namespace alt::codegen {

using ir::Stmt;
using llvm::Value;

namespace {

// Arguments of `body`: captured buffers, captured variables, then the loop's min; in the context
// they are followed by the workspace.
struct BodyArguments {
  Captures captures;
  std::vector<llvm::Type*> types;
  std::vector<Value*> values;  // in the function around the loop
};

llvm::StructType* ContextType(llvm::IRBuilder<>& builder, const BodyArguments& arguments) {
  std::vector<llvm::Type*> fields = arguments.types;
  fields.push_back(builder.getPtrTy());
  return llvm::StructType::get(builder.getContext(), fields);
}

llvm::Function* DeclareBody(ModuleState* state, llvm::IRBuilder<>& builder,
                            const BodyArguments& arguments, const llvm::Twine& name) {
  std::vector<llvm::Type*> types = arguments.types;
  types.insert(types.end(), {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt64Ty()});
  auto* body = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                      llvm::GlobalValue::InternalLinkage, name, state->module);
  body->addFnAttrs(state->attributes);
  body->addFnAttr(llvm::Attribute::NoInline);
  for (llvm::Argument& argument : body->args()) {
    if (!argument.getType()->isPointerTy()) continue;
    argument.addAttr(llvm::Attribute::NoAlias);
    argument.addAttr(AlignmentAttribute(*state));
  }
  return body;
}

// void thunk(ptr context, i64 begin, i64 end, i32 thread)
llvm::Function* EmitThunk(ModuleState* state, const BodyArguments& arguments, llvm::Function* body,
                          int64_t workspace_bytes) {
  llvm::IRBuilder<> builder(state->module.getContext());
  auto* type = llvm::FunctionType::get(
      builder.getVoidTy(),
      {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt64Ty(), builder.getInt32Ty()},
      false);
  auto* thunk = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                       body->getName() + "_thunk", state->module);
  thunk->addFnAttrs(state->attributes);
  builder.SetInsertPoint(llvm::BasicBlock::Create(builder.getContext(), "entry", thunk));
  llvm::StructType* context = ContextType(builder, arguments);
  std::vector<Value*> values;
  for (unsigned i = 0; i < context->getNumElements(); ++i) {
    values.push_back(builder.CreateLoad(context->getElementType(i),
                                        builder.CreateStructGEP(context, thunk->getArg(0), i)));
  }
  Value* thread = builder.CreateSExt(thunk->getArg(3), builder.getInt64Ty());
  Value* slice = builder.CreateMul(thread, builder.getInt64(workspace_bytes));
  values.back() = builder.CreateGEP(builder.getInt8Ty(), values.back(), slice);
  values.push_back(thunk->getArg(1));
  values.push_back(thunk->getArg(2));
  builder.CreateCall(body, values);
  builder.CreateRetVoid();
  return thunk;
}

// pool->parallel_for(pool, thunk, context, n)
void CallPool(llvm::IRBuilder<>& builder, Value* pool, llvm::Function* thunk, Value* context,
              Value* n) {
  auto* pool_type =
      llvm::StructType::get(builder.getContext(), {builder.getInt32Ty(), builder.getPtrTy()});
  auto* type = llvm::FunctionType::get(
      builder.getVoidTy(),
      {builder.getPtrTy(), builder.getPtrTy(), builder.getPtrTy(), builder.getInt64Ty()}, false);
  Value* parallel_for =
      builder.CreateLoad(builder.getPtrTy(), builder.CreateStructGEP(pool_type, pool, 1));
  builder.CreateCall(type, parallel_for, {pool, thunk, context, n});
}

}  // namespace

void FunctionEmitter::EmitParallelFor(const Stmt& s) {
  memo_.Clear();
  BodyArguments arguments;
  arguments.captures = FindCaptures(s->body());
  std::erase(arguments.captures.vars, s->var);
  for (const ir::Buffer& buffer : arguments.captures.buffers) {
    arguments.values.push_back(BindingOf(*buffer).base);
  }
  for (const ir::Var& var : arguments.captures.vars) {
    arguments.values.push_back(index_.Emit(var).value);
  }
  Value* min = index_.Emit(s->min()).value;
  arguments.values.push_back(min);
  for (Value* value : arguments.values) arguments.types.push_back(value->getType());

  llvm::Function* body =
      DeclareBody(&state_, builder_, arguments, function_->getName() + "_" + s->var->name);
  EmitParallelBody(s, arguments.captures, body);
  llvm::Function* thunk = EmitThunk(&state_, arguments, body, plan_.workspace_bytes);

  llvm::StructType* context_type = ContextType(builder_, arguments);
  llvm::BasicBlock& entry = function_->getEntryBlock();
  auto* context = new llvm::AllocaInst(context_type, 0, "context", entry.begin());

  llvm::BasicBlock* pooled = NewBlock("pooled");
  llvm::BasicBlock* threads = NewBlock("threads");
  llvm::BasicBlock* alone = NewBlock("alone");
  llvm::BasicBlock* done = NewBlock("joined");
  Value* n = index_.Emit(s->extent()).value;
  builder_.CreateCondBr(builder_.CreateIsNull(pool_), alone, threads);
  builder_.SetInsertPoint(threads);
  Value* count = builder_.CreateLoad(builder_.getInt32Ty(), pool_);
  builder_.CreateCondBr(builder_.CreateICmpSGT(count, builder_.getInt32(1)), pooled, alone);

  builder_.SetInsertPoint(pooled);
  std::vector<Value*> fields = arguments.values;
  fields.push_back(workspace_);
  for (unsigned i = 0; i < fields.size(); ++i) {
    builder_.CreateStore(fields[i], builder_.CreateStructGEP(context_type, context, i));
  }
  CallPool(builder_, pool_, thunk, context, n);
  builder_.CreateBr(done);

  builder_.SetInsertPoint(alone);
  fields.push_back(builder_.getInt64(0));
  fields.push_back(n);
  builder_.CreateCall(body, fields);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
}

void FunctionEmitter::EmitParallelBody(const Stmt& s, const Captures& captures,
                                       llvm::Function* body) {
  FunctionEmitter inner(&state_, &plan_, body);
  llvm::Function::arg_iterator argument = body->arg_begin();
  for (const ir::Buffer& buffer : captures.buffers) inner.BindBuffer(buffer, &*argument++);
  for (const ir::Var& var : captures.vars) {
    const auto range = index_.ranges().find(var.get());
    inner.BindVar(var, &*argument++,
                  range == index_.ranges().end() ? std::nullopt : std::optional(range->second));
  }
  Value* min = &*argument++;
  inner.BindThread(&*argument++, nullptr);
  Value* begin = &*argument++;
  Value* end = &*argument++;
  inner.EmitIterations(s, inner.builder_.CreateAdd(min, begin), inner.builder_.CreateAdd(min, end));
}

}  // namespace alt::codegen
