#ifndef COMMON_CODEGEN_LLVM_INDEX_EMITTER_H_
#define COMMON_CODEGEN_LLVM_INDEX_EMITTER_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "common/ir/interval.h"

namespace alt::codegen {

// An i64 or i1 with the loop scope whose variables it depends on: 0 is the function's entry, 1 the
// outermost loop. It is computed at the head of that loop, so that whatever is inside may use it.
struct IndexValue {
  llvm::Value* value = nullptr;
  int depth = 0;
};
// Depth of a value that had to be computed at the point of use (it depends on a load).
inline constexpr int kHere = std::numeric_limits<int>::max();

// A sum of multiples of values plus a constant, in the unit of the caller (elements, bytes).
struct LinearForm {
  struct Term {
    IndexValue atom;
    int64_t coefficient;
  };
  llvm::SmallVector<Term, 6> terms;  // distinct atoms, no zero coefficient, none constant
  int64_t constant = 0;

  void Add(IndexValue atom, int64_t coefficient);
  bool SameTerms(const LinearForm& other) const;
  // Of the form's value, given that it is added to something aligned to `align`.
  uint64_t TermsAlignment(uint64_t align) const;
};

// Emits scalar index and bool arithmetic. Equal expressions of one loop scope get one value, and
// each is computed as far outside as its variables allow: what LICM and CSE would do, at no cost.
class IndexEmitter {
 public:
  // Whoever emits at the builder's insertion point what is no index arithmetic.
  class Outside {
   public:
    virtual ~Outside() = default;
    // Whether a select has to branch, since a side must not be evaluated when it is not taken.
    virtual bool MustBranch(const ir::Expr& select) = 0;
    // A scalar load, a comparison of floats, a select that has to branch.
    virtual llvm::Value* EmitHere(const ir::Expr& e) = 0;
  };

  IndexEmitter(llvm::IRBuilder<>* builder, Outside* outside)
      : builder_(*builder), outside_(*outside) {}

  // Opens the scope of a loop (the first: of the function). Values that belong to it are inserted
  // before `anchor`, which stays until the scope is left.
  void EnterScope(llvm::Instruction* anchor) { scopes_.push_back({anchor, {}}); }
  void LeaveScope() { scopes_.pop_back(); }
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  void Bind(const ir::VarNode* var, IndexValue value, std::optional<ir::Interval> range);
  void Unbind(const ir::VarNode* var);
  const ir::RangeMap& ranges() const { return ranges_; }

  IndexValue Emit(const ir::Expr& e);
  // Adds scale * e, e a scalar index.
  void AddLinear(const ir::Expr& e, int64_t scale, LinearForm* form);
  // base plus the terms of the form in bytes, without its constant. Prefixes of the sum are shared
  // between all accesses of a loop scope.
  llvm::Value* Pointer(llvm::Value* base, const LinearForm& form);
  // The floordiv or floormod e of the values a and b, of any lanes, at the insertion point.
  llvm::Value* MakeDivision(const ir::Expr& e, llvm::Value* a, llvm::Value* b);

 private:
  enum class Op : uint8_t {
    kScale,
    kOffset,
    kSum,
    kPointer,
    kFloorDiv,
    kFloorMod,
    kMin,
    kMax,
    kLt,
    kLe,
    kEq,
    kAnd,
    kOr,
    kNot,
    kSelect,
  };
  using Key = std::tuple<Op, const llvm::Value*, const llvm::Value*, const llvm::Value*, int64_t>;
  struct Scope {
    llvm::Instruction* anchor;
    absl::flat_hash_map<Key, llvm::Value*> values;
  };

  // The value of op(a, b, c, constant): found, or made in the scope that the operands need.
  IndexValue Number(Op op, IndexValue a, IndexValue b, IndexValue c, int64_t constant,
                    absl::FunctionRef<llvm::Value*()> make);
  IndexValue EmitLinear(const ir::Expr& e);
  IndexValue EmitDivision(const ir::Expr& e);
  IndexValue EmitMinMax(const ir::Expr& e);
  IndexValue EmitCompare(const ir::Expr& e);
  IndexValue EmitLogic(const ir::Expr& e);
  IndexValue EmitSelect(const ir::Expr& e);
  IndexValue Scaled(IndexValue atom, int64_t coefficient);

  llvm::IRBuilder<>& builder_;
  Outside& outside_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<const ir::VarNode*, IndexValue> vars_;
  ir::RangeMap ranges_;
};

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LLVM_INDEX_EMITTER_H_
