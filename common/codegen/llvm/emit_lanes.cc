// Vector loads and stores by how the addresses of the lanes lie to each other.

#include <llvm/IR/Constants.h>

#include <algorithm>
#include <numeric>

#include "common/codegen/llvm/function_emitter.h"

namespace alt::codegen {

using llvm::Value;

namespace {

llvm::Align AlignAt(uint64_t pointer_align, int64_t offset) {
  const uint64_t align = std::gcd(pointer_align, static_cast<uint64_t>(std::abs(offset)));
  return llvm::Align(align & (~align + 1));  // the largest power of two in it
}

// Whether the lanes follow one another `step` bytes apart.
bool IsRamp(llvm::ArrayRef<int64_t> offsets, int64_t step) {
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] != step) return false;
  }
  return true;
}

}  // namespace

// A scalar or a vector whose lanes stand side by side, at the pointer of lane 0 plus `offset`.
Value* FunctionEmitter::LoadUnit(const Access& access, int64_t offset, ir::DType type) {
  llvm::Type* in_memory = MemoryTypeOf(type);
  Value* mask = type.lanes > 1 ? mask_ : nullptr;
  const ValueMemo::Key key{access.buffer, access.pointer, offset, in_memory, mask};
  if (Value* known = memo_.Find(key); known != nullptr) return known;
  Value* pointer = At(access.pointer, offset);
  const llvm::Align align = AlignAt(access.align, offset);
  llvm::Instruction* load = nullptr;
  if (mask != nullptr) {
    load = builder_.CreateMaskedLoad(in_memory, pointer, align, mask,
                                     llvm::Constant::getNullValue(in_memory));
  } else {
    load = builder_.CreateAlignedLoad(in_memory, pointer, align);
  }
  Value* value = Tag(load, *access.buffer);
  if (type.scalar == ir::ScalarType::kBool) value = builder_.CreateTrunc(value, TypeOf(type));
  memo_.Set(key, value, RegistersOf(value->getType()));
  return value;
}

Value* FunctionEmitter::LoadLanes(const Access& access, ir::DType type) {
  const int64_t bytes = ir::ScalarBytes(type.scalar);
  const bool shared = access.pointers.empty();
  if (shared && IsRamp(access.offsets, bytes)) return LoadUnit(access, access.offsets[0], type);
  if (mask_ != nullptr) return GatherMasked(access, type);
  if (shared && IsRamp(access.offsets, 0)) {
    return Splat(LoadUnit(access, access.offsets[0], type.WithLanes(1)), type.lanes);
  }
  if (shared) {
    if (Value* value = LoadWindows(access, type); value != nullptr) return value;
  }
  Value* vector = llvm::PoisonValue::get(TypeOf(type));
  for (size_t lane = 0; lane < access.offsets.size(); ++lane) {
    Access one = access;
    if (!shared) one.pointer = access.pointers[lane];
    Value* scalar = LoadUnit(one, access.offsets[lane], type.WithLanes(1));
    vector = builder_.CreateInsertElement(vector, scalar, builder_.getInt64(lane));
  }
  return vector;
}

// Loads the stretch of memory from the first to the last lane as a few whole vectors and shuffles
// the lanes out: a stride of 2, or groups of equal lanes. Null when the stretch is too long, or
// shorter than a vector that could not be shown to stay within an aligned block (and so within the
// pages) that the access touches anyway.
Value* FunctionEmitter::LoadWindows(const Access& access, ir::DType type) {
  constexpr int64_t kMaxWindows = 4;
  const int64_t bytes = ir::ScalarBytes(type.scalar);
  const int64_t vector_bytes = bytes * type.lanes;
  const auto [low, high] = std::minmax_element(access.offsets.begin(), access.offsets.end());
  const int64_t end = *high + bytes;
  std::vector<int64_t> starts;
  if (end - *low < vector_bytes) {
    const auto align = static_cast<int64_t>(AlignAt(access.align, 0).value());
    const int64_t start = *low - ((*low % align) + align) % align;
    if (align < vector_bytes || align % vector_bytes != 0) return nullptr;
    const int64_t window = start + (*low - start) / vector_bytes * vector_bytes;
    if (end > window + vector_bytes) return nullptr;
    starts.push_back(window);
  } else {
    for (int64_t at = *low; at < end; at += vector_bytes) {
      starts.push_back(std::min(at, end - vector_bytes));
    }
  }
  if (static_cast<int64_t>(starts.size()) > kMaxWindows) return nullptr;
  for (int64_t offset : access.offsets) {
    if ((offset - *low) % bytes != 0) return nullptr;
  }

  Value* result = llvm::PoisonValue::get(TypeOf(type));
  for (int64_t start : starts) {
    Value* window = LoadUnit(access, start, type);
    llvm::SmallVector<int, 16> lanes;
    for (size_t i = 0; i < access.offsets.size(); ++i) {
      const int64_t lane = (access.offsets[i] - start) / bytes;
      const bool inside = access.offsets[i] >= start && lane < type.lanes;
      lanes.push_back(inside ? static_cast<int>(lane) + type.lanes : static_cast<int>(i));
    }
    result = builder_.CreateShuffleVector(result, window, lanes);
  }
  return result;
}

Value* FunctionEmitter::GatherMasked(const Access& access, ir::DType type) {
  llvm::Type* in_memory = MemoryTypeOf(type);
  Value* pointers = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(builder_.getPtrTy(), static_cast<unsigned>(type.lanes)));
  for (size_t lane = 0; lane < access.offsets.size(); ++lane) {
    pointers =
        builder_.CreateInsertElement(pointers, LanePointer(access, lane), builder_.getInt64(lane));
  }
  const llvm::Align align(static_cast<uint64_t>(ir::ScalarBytes(type.scalar)));
  Value* value = Tag(builder_.CreateMaskedGather(in_memory, pointers, align, mask_,
                                                 llvm::Constant::getNullValue(in_memory)),
                     *access.buffer);
  if (type.scalar == ir::ScalarType::kBool) value = builder_.CreateTrunc(value, TypeOf(type));
  return value;
}

void FunctionEmitter::StoreAccess(const Access& access, Value* value, ir::DType type) {
  if (type.scalar == ir::ScalarType::kBool) value = builder_.CreateZExt(value, MemoryTypeOf(type));
  const bool side_by_side =
      access.pointers.empty() && IsRamp(access.offsets, ir::ScalarBytes(type.scalar));
  if (side_by_side) {
    Tag(builder_.CreateAlignedStore(value, At(access.pointer, access.offsets[0]),
                                    AlignAt(access.align, access.offsets[0])),
        *access.buffer);
    return;
  }
  const llvm::Align align(static_cast<uint64_t>(ir::ScalarBytes(type.scalar)));
  for (size_t lane = 0; lane < access.offsets.size(); ++lane) {
    Value* scalar = builder_.CreateExtractElement(value, builder_.getInt64(lane));
    Tag(builder_.CreateAlignedStore(scalar, LanePointer(access, lane), align), *access.buffer);
  }
}

}  // namespace alt::codegen
