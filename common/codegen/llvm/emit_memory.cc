// Addresses, loads and stores.

#include <llvm/IR/Constants.h>

#include <numeric>

#include "common/base/check.h"
#include "common/codegen/llvm/function_emitter.h"
#include "common/codegen/llvm/lane_form.h"
#include "common/ir/simplify.h"

namespace alt::codegen {

using ir::Expr;
using llvm::Value;

FunctionEmitter::Binding& FunctionEmitter::BindingOf(const ir::BufferNode& buffer) {
  auto [it, inserted] = bindings_.try_emplace(&buffer);
  Binding& binding = it->second;
  if (!inserted) return binding;
  binding.strides = ir::Strides(buffer);
  if (buffer.scope != ir::Scope::kRegister) {
    const int64_t bytes = buffer.dtype.lanes * ir::ScalarBytes(buffer.dtype.scalar);
    for (int64_t& stride : binding.strides) stride *= bytes;
  }
  return binding;
}

// The address of lane 0 as a form in bytes, and the bytes from lane to lane, when that is constant.
std::optional<LinearForm> FunctionEmitter::AffineForm(const Binding& binding,
                                                      absl::Span<const Expr> indices,
                                                      int64_t* stride) {
  LinearForm form;
  *stride = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    const std::optional<AffineLanes> lanes = ToAffineLanes(indices[d]);
    if (!lanes) return std::nullopt;
    index_.AddLinear(lanes->base, binding.strides[d], &form);
    *stride += lanes->stride * binding.strides[d];
  }
  return form;
}

FunctionEmitter::Access FunctionEmitter::Resolve(const ir::BufferNode& buffer,
                                                 absl::Span<const Expr> indices) {
  Binding& binding = BindingOf(buffer);
  if (buffer.scope == ir::Scope::kTable) binding.base = TableOf(buffer);
  ALT_CHECK(binding.base != nullptr) << "buffer " << buffer.name << " is not bound";
  Access access;
  access.buffer = &buffer;
  int lanes = 1;
  for (const Expr& index : indices) lanes = std::max(lanes, index->dtype.lanes);

  int64_t stride;
  const std::optional<LinearForm> form = AffineForm(binding, indices, &stride);
  if (!form) {
    ResolveLanes(binding, indices, lanes, &access);
    return access;
  }
  access.pointer = index_.Pointer(binding.base, *form);
  access.align = form->TermsAlignment(static_cast<uint64_t>(state_.buffer_alignment));
  access.constant = form->terms.empty();
  for (int lane = 0; lane < lanes; ++lane) access.offsets.push_back(form->constant + lane * stride);
  return access;
}

// Indices that are no ramps, as floordivs of ramps: every lane's address is simplified by itself.
// Most of the time they turn out to differ by constants after all.
void FunctionEmitter::ResolveLanes(const Binding& binding, absl::Span<const Expr> indices,
                                   int lanes, Access* access) {
  std::vector<LinearForm> forms(static_cast<size_t>(lanes));
  bool shared = true;
  for (int lane = 0; lane < lanes; ++lane) {
    LinearForm& form = forms[static_cast<size_t>(lane)];
    for (size_t d = 0; d < indices.size(); ++d) {
      const Expr index = ir::Simplify(LaneOf(indices[d], lane), index_.ranges());
      index_.AddLinear(index, binding.strides[d], &form);
    }
    shared = shared && form.SameTerms(forms[0]);
    access->offsets.push_back(form.constant);
  }
  access->align = forms[0].TermsAlignment(static_cast<uint64_t>(state_.buffer_alignment));
  if (shared) {
    access->pointer = index_.Pointer(binding.base, forms[0]);
    access->constant = forms[0].terms.empty();
    return;
  }
  for (const LinearForm& form : forms) {
    access->pointers.push_back(index_.Pointer(binding.base, form));
    access->align = form.TermsAlignment(access->align);
  }
}

Value* FunctionEmitter::At(Value* pointer, int64_t offset) {
  if (offset == 0) return pointer;
  // Emitted next to its use, never at a loop's head: it becomes the displacement of an operand
  // there, and a register of its own everywhere else.
  return builder_.CreateGEP(builder_.getInt8Ty(), pointer, builder_.getInt64(offset));
}

Value* FunctionEmitter::LanePointer(const Access& access, size_t lane) {
  return At(access.pointers.empty() ? access.pointer : access.pointers[lane], access.offsets[lane]);
}

llvm::Instruction* FunctionEmitter::Tag(llvm::Instruction* access, const ir::BufferNode& buffer) {
  const Binding& binding = BindingOf(buffer);
  if (binding.alias_scope != nullptr) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, binding.alias_scope);
  }
  if (binding.no_alias != nullptr) {
    access->setMetadata(llvm::LLVMContext::MD_noalias, binding.no_alias);
  }
  return access;
}

llvm::GlobalVariable* FunctionEmitter::TableOf(const ir::BufferNode& buffer) {
  llvm::GlobalVariable*& global = state_.tables[&buffer];
  if (global != nullptr) return global;
  llvm::Type* type = TypeOf(buffer.dtype);
  std::vector<llvm::Constant*> values;
  for (double value : buffer.table) {
    values.push_back(buffer.dtype.is_float()
                         ? llvm::ConstantFP::get(type, value)
                         : llvm::ConstantInt::getSigned(type, static_cast<int64_t>(value)));
  }
  auto* array = llvm::ArrayType::get(type, values.size());
  global = new llvm::GlobalVariable(state_.module, array, /*isConstant=*/true,
                                    llvm::GlobalValue::PrivateLinkage,
                                    llvm::ConstantArray::get(array, values), buffer.name);
  global->setAlignment(llvm::Align(kBufferAlignment));
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

Value* FunctionEmitter::EmitLoad(const Expr& e) {
  if (e->buffer->scope == ir::Scope::kRegister) return LoadRegister(e);
  const Access access = Resolve(*e->buffer, e->args);
  if (e->buffer->scope == ir::Scope::kTable && access.constant) {
    return LoadConstants(access, e->dtype);
  }
  if (access.offsets.size() == 1) return LoadUnit(access, access.offsets[0], e->dtype);
  return LoadLanes(access, e->dtype);
}

Value* FunctionEmitter::LoadConstants(const Access& access, ir::DType type) {
  const ir::BufferNode& table = *access.buffer;
  llvm::SmallVector<llvm::Constant*, 16> lanes;
  for (int64_t offset : access.offsets) {
    const int64_t element = offset / ir::ScalarBytes(table.dtype.scalar);
    lanes.push_back(
        TableOf(table)->getInitializer()->getAggregateElement(static_cast<unsigned>(element)));
  }
  return type.lanes == 1 ? lanes[0] : llvm::ConstantVector::get(lanes);
}

int64_t FunctionEmitter::RegisterOf(const Binding& binding, absl::Span<const Expr> indices,
                                    int lane) {
  int64_t element = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    int64_t index = 0;
    ALT_CHECK(ir::IsInt(LaneOf(indices[d], lane), &index));
    element += index * binding.strides[d];
  }
  return element;
}

Value* FunctionEmitter::LoadRegister(const Expr& e) {
  const Binding& binding = BindingOf(*e->buffer);
  auto load = [&](int lane) {
    llvm::AllocaInst* element =
        binding.registers[static_cast<size_t>(RegisterOf(binding, e->args, lane))];
    return builder_.CreateLoad(element->getAllocatedType(), element);
  };
  if (e->dtype.lanes == e->buffer->dtype.lanes) return load(0);
  Value* vector = llvm::PoisonValue::get(TypeOf(e->dtype));
  for (int lane = 0; lane < e->dtype.lanes; ++lane) {
    vector = builder_.CreateInsertElement(vector, load(lane), builder_.getInt64(lane));
  }
  return vector;
}

void FunctionEmitter::StoreRegister(const ir::BufferNode& buffer, absl::Span<const Expr> indices,
                                    Value* value) {
  Binding& binding = BindingOf(buffer);
  binding.columns.clear();
  auto element = [&](int lane) {
    return binding.registers[static_cast<size_t>(RegisterOf(binding, indices, lane))];
  };
  int lanes = 1;
  for (const Expr& index : indices) lanes = std::max(lanes, index->dtype.lanes);
  if (lanes == 1) {
    builder_.CreateStore(value, element(0));
    return;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    builder_.CreateStore(builder_.CreateExtractElement(value, builder_.getInt64(lane)),
                         element(lane));
  }
}

}  // namespace alt::codegen
