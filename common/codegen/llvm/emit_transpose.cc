// A block of n by n values in n vectors, transposed by n*log2(n) shuffles. Each is one instruction
// of x86 without an operand of indices: unpcklps and unpcklpd inside 128 bits, then vperm2f128 or
// vshuff32x4.

#include "common/codegen/llvm/function_emitter.h"

namespace alt::codegen {

using llvm::Value;

namespace {

constexpr size_t kGroupBytes = 16;

// For vectors a and b, groups of `group` lanes alike. In the lower and upper half of each group of
// a and b, units of `unit` lanes are put by turns: a0 b0 a1 b1.
llvm::SmallVector<int, 16> Unpack(size_t lanes, size_t group, size_t unit, bool upper) {
  llvm::SmallVector<int, 16> mask;
  for (size_t i = 0; i < lanes; ++i) {
    const size_t in_group = i % group, number = in_group / unit;
    const size_t from = i - in_group + (upper ? group / 2 : 0) + number / 2 * unit + i % unit;
    mask.push_back(static_cast<int>(from + number % 2 * lanes));
  }
  return mask;
}

// The groups of a and then b with even, or odd, numbers.
llvm::SmallVector<int, 16> EveryOther(size_t lanes, size_t group, bool odd) {
  llvm::SmallVector<int, 16> mask;
  for (size_t i = 0; i < lanes; ++i) {
    mask.push_back(static_cast<int>((2 * (i / group) + odd) * group + i % group));
  }
  return mask;
}

// Replaces vectors whose numbers differ in one bit, by two shuffles of them.
template <typename Mask>
void Exchange(llvm::IRBuilder<>& builder, size_t bit, const Mask& mask,
              std::vector<Value*>& vectors) {
  for (size_t i = 0; i < vectors.size(); ++i) {
    if ((i & bit) != 0) continue;
    Value* const a = vectors[i];
    Value* const b = vectors[i | bit];
    vectors[i] = builder.CreateShuffleVector(a, b, mask(false));
    vectors[i | bit] = builder.CreateShuffleVector(a, b, mask(true));
  }
}

// Columns from rows.
std::vector<Value*> Transpose(llvm::IRBuilder<>& builder, std::vector<Value*> vectors,
                              size_t scalar_bytes) {
  const size_t n = vectors.size(), group = std::min(n, kGroupBytes / scalar_bytes);
  // Blocks of group by group in place; vector q*group + r then has column reverse(r) of each.
  for (size_t unit = 1; unit < group; unit *= 2) {
    Exchange(
        builder, unit, [&](bool upper) { return Unpack(n, group, unit, upper); }, vectors);
  }
  std::vector<Value*> columns(n);
  for (size_t r = 0; r < group; ++r) {
    // Of every group the same column; groups and vectors change places.
    std::vector<Value*> same;
    for (size_t q = 0; q < n; q += group) same.push_back(vectors[q + r]);
    for (size_t bit = 1; bit < same.size(); bit *= 2) {
      Exchange(
          builder, bit, [&](bool odd) { return EveryOther(n, group, odd); }, same);
    }
    size_t column = 0;
    for (size_t bit = 1; bit < group; bit *= 2) column = 2 * column + ((r & bit) != 0);
    for (size_t q = 0; q < same.size(); ++q) columns[q * group + column] = same[q];
  }
  return columns;
}

}  // namespace

Value* FunctionEmitter::EmitTranspose(const ir::Expr& e) {
  Binding& binding = BindingOf(*e->buffer);
  llvm::BasicBlock* const block = builder_.GetInsertBlock();
  if (binding.columns.empty() || binding.columns_block != block) {
    std::vector<Value*> rows;
    for (llvm::AllocaInst* row : binding.registers) {
      rows.push_back(builder_.CreateLoad(row->getAllocatedType(), row));
    }
    binding.columns =
        Transpose(builder_, std::move(rows), static_cast<size_t>(ir::ScalarBytes(e->dtype.scalar)));
    binding.columns_block = block;
  }
  return binding.columns[static_cast<size_t>(e->int_value)];
}

}  // namespace alt::codegen
