// Values: floats of any lanes, vectors of indices and bools.

#include <llvm/IR/PatternMatch.h>

#include "common/base/check.h"
#include "common/codegen/llvm/function_emitter.h"

namespace alt::codegen {

using ir::Expr;
using ir::ExprKind;
using llvm::Value;
using llvm::PatternMatch::m_AnyZeroFP;
using llvm::PatternMatch::m_FPOne;
using llvm::PatternMatch::match;

llvm::Type* FunctionEmitter::TypeOf(ir::DType dtype) {
  llvm::Type* scalar = nullptr;
  switch (dtype.scalar) {
    case ir::ScalarType::kBool:
      scalar = builder_.getInt1Ty();
      break;
    case ir::ScalarType::kIndex:
      scalar = builder_.getInt64Ty();
      break;
    case ir::ScalarType::kF32:
      scalar = builder_.getFloatTy();
      break;
    case ir::ScalarType::kF64:
      scalar = builder_.getDoubleTy();
      break;
  }
  if (dtype.lanes == 1) return scalar;
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(dtype.lanes));
}

llvm::Type* FunctionEmitter::MemoryTypeOf(ir::DType dtype) {
  llvm::Type* type = TypeOf(dtype);
  if (dtype.scalar != ir::ScalarType::kBool) return type;
  return type->getWithNewType(builder_.getInt8Ty());
}

int FunctionEmitter::RegistersOf(const llvm::Type* type) const {
  if (!type->isVectorTy()) return 0;
  const auto bits = static_cast<int>(type->getPrimitiveSizeInBits().getFixedValue());
  return (bits + state_.vec_bits - 1) / state_.vec_bits;
}

Value* FunctionEmitter::EmitValue(const Expr& e) {
  if (e->dtype.lanes == 1 && !e->dtype.is_float()) return index_.Emit(e).value;
  return EmitHere(e);
}

Value* FunctionEmitter::EmitHere(const Expr& e) {
  if (Value* known = memo_.FindNode(e); known != nullptr) return known;
  // A scalar inside a side of a vector select: wanted if any lane of that side is.
  const bool guarded = mask_ != nullptr && e->dtype.lanes == 1 && ReadsMemory(e);
  Value* value = guarded ? EmitIfAnyLane(e) : EmitNode(e);
  memo_.SetNode(e, value);
  return value;
}

Value* FunctionEmitter::EmitNode(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kLoad:
      return EmitLoad(e);
    case ExprKind::kTranspose:
      return EmitTranspose(e);
    case ExprKind::kSelect:
      return EmitSelect(e);
    case ExprKind::kBroadcast:
      return Splat(EmitValue(e->args[0]), e->dtype.lanes);
    case ExprKind::kCast:
      return EmitCast(e);
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
      return EmitCompare(e);
    default:
      return e->dtype.is_float() ? EmitFloat(e) : EmitVectorIndex(e);
  }
}

Value* FunctionEmitter::Splat(Value* scalar, int lanes) {
  llvm::Type* type = llvm::FixedVectorType::get(scalar->getType(), static_cast<unsigned>(lanes));
  const ValueMemo::Key key{nullptr, scalar, 0, type, nullptr};
  if (Value* known = memo_.Find(key); known != nullptr) return known;
  Value* splat = builder_.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
  memo_.Set(key, splat, RegistersOf(type));
  return splat;
}

// 0 * x is 0 and 0 + x is x for every x (expr.h), which LLVM must not assume of floats.
Value* FunctionEmitter::EmitFloat(const Expr& e) {
  if (e->kind == ExprKind::kFloatImm)
    return llvm::ConstantFP::get(TypeOf(e->dtype), e->float_value);
  Value* a = EmitValue(e->args[0]);
  if (e->kind == ExprKind::kMul && match(a, m_AnyZeroFP())) return a;
  Value* b = EmitValue(e->args[1]);
  switch (e->kind) {
    case ExprKind::kAdd:
      if (match(a, m_AnyZeroFP())) return b;
      if (match(b, m_AnyZeroFP())) return a;
      return builder_.CreateFAdd(a, b);
    case ExprKind::kSub:
      if (match(a, m_AnyZeroFP())) return builder_.CreateFNeg(b);
      if (match(b, m_AnyZeroFP())) return a;
      return builder_.CreateFSub(a, b);
    case ExprKind::kMul:
      if (match(b, m_AnyZeroFP())) return b;
      if (match(a, m_FPOne())) return b;
      if (match(b, m_FPOne())) return a;
      return builder_.CreateFMul(a, b);
    case ExprKind::kDiv:
      return builder_.CreateFDiv(a, b);
    // One compare and select is what minps and maxps compute, unlike llvm.minnum.
    case ExprKind::kMin:
      return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), a, b);
    case ExprKind::kMax:
      return builder_.CreateSelect(builder_.CreateFCmpOGT(a, b), a, b);
    default:
      ALT_CHECK(false) << "float expression of kind " << static_cast<int>(e->kind);
      return nullptr;
  }
}

Value* FunctionEmitter::EmitVectorIndex(const Expr& e) {
  llvm::Type* type = TypeOf(e->dtype);
  if (e->kind == ExprKind::kRamp) {
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (int i = 0; i < e->dtype.lanes; ++i) numbers.push_back(builder_.getInt64(i));
    Value* base = Splat(EmitValue(e->args[0]), e->dtype.lanes);
    Value* stride = Splat(EmitValue(e->args[1]), e->dtype.lanes);
    return builder_.CreateAdd(base, builder_.CreateMul(stride, llvm::ConstantVector::get(numbers)));
  }
  Value* a = EmitValue(e->args[0]);
  if (e->kind == ExprKind::kNot) return builder_.CreateNot(a);
  if (e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod) {
    return index_.MakeDivision(e, a, EmitValue(e->args[1]));
  }
  Value* b = EmitValue(e->args[1]);
  switch (e->kind) {
    case ExprKind::kAdd:
      return builder_.CreateAdd(a, b);
    case ExprKind::kSub:
      return builder_.CreateSub(a, b);
    case ExprKind::kMul:
      return builder_.CreateMul(a, b);
    case ExprKind::kMin:
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    case ExprKind::kMax:
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
    case ExprKind::kAnd:
      return builder_.CreateAnd(a, b);
    case ExprKind::kOr:
      return builder_.CreateOr(a, b);
    default:
      ALT_CHECK(false) << "vector expression of kind " << static_cast<int>(e->kind) << " " << type;
      return nullptr;
  }
}

Value* FunctionEmitter::EmitCompare(const Expr& e) {
  Value* a = EmitValue(e->args[0]);
  Value* b = EmitValue(e->args[1]);
  const bool is_float = e->args[0]->dtype.is_float();
  switch (e->kind) {
    case ExprKind::kLt:
      return is_float ? builder_.CreateFCmpOLT(a, b) : builder_.CreateICmpSLT(a, b);
    case ExprKind::kLe:
      return is_float ? builder_.CreateFCmpOLE(a, b) : builder_.CreateICmpSLE(a, b);
    default:
      return is_float ? builder_.CreateFCmpOEQ(a, b) : builder_.CreateICmpEQ(a, b);
  }
}

Value* FunctionEmitter::EmitCast(const Expr& e) {
  Value* value = EmitValue(e->args[0]);
  llvm::Type* type = TypeOf(e->dtype);
  if (e->args[0]->dtype.is_float()) return builder_.CreateFPCast(value, type);
  return builder_.CreateSIToFP(value, type);
}

}  // namespace alt::codegen
