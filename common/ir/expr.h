#ifndef COMMON_IR_EXPR_H_
#define COMMON_IR_EXPR_H_

// Expressions.
//
// clang-format off
//   e ::= int | float | var                      IntImm FloatImm Var
//       | e + e | e - e | e * e                  Add Sub Mul            index or float
//       | e / e                                  Div                    float
//       | floordiv(e, e) | floormod(e, e)        FloorDiv FloorMod      index; divisor > 0
//       | min(e, e) | max(e, e)                  Min Max                index or float
//       | e < e | e <= e | e == e                Lt Le Eq               operands alike, gives bool
//       | e && e | e || e | !e                   And Or Not             bool
//       | select(c, a, b)                        Select                 c scalar, or lanes of a, b
//       | B[e, ...]                              Load
//       | transpose(B)[i]                        Transpose              B of n vectors of n lanes
//       | ramp(base, stride, lanes)              Ramp                   base + stride*i in lane i
//       | broadcast(e, lanes)                    Broadcast
//       | cast<f64>(e)                           Cast                   from float or index
// clang-format on
//
// Meaning. Index arithmetic is on signed 64-bit integers and never overflows (shapes are checked
// when a workload is made). floordiv rounds towards minus infinity; floormod has the divisor's
// sign. Operands of a binary node have the same dtype, lanes included. Select is lazy: the side not
// taken is not evaluated, so a guard may protect a Load out of bounds; this holds for each lane of
// a vector condition. Everything else has no effect, so order of evaluation does not matter.
// transpose(B)[i] is the vector whose lane j is lane i of B[j]: a block of n by n values that were
// stored as rows is read as columns, all n of which a machine computes at once by n*log2(n)
// shuffles.
// A float sum or product may be contracted into a fused multiply-add. 0 * x is 0 and 0 + x is x for
// every x: zeros in tables mean "no term".
//
// Nodes are immutable and shared; the makers below check types (ALT_CHECK) and fold constants, and
// are the only way to build one. Var and Buffer compare by identity.

#include <sys/single_threaded.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "common/ir/buffer.h"
#include "common/ir/dtype.h"

namespace alt::ir {
namespace internal {

// How many references there are to the object that it is part of. A copy of the object starts anew.
// As in std::shared_ptr, a process of one thread pays for no atomic operation.
class ReferenceCount {
 public:
  ReferenceCount() = default;
  ReferenceCount(const ReferenceCount&) {}
  ReferenceCount& operator=(const ReferenceCount&) { return *this; }

  void Add() const {
    if (__libc_single_threaded) {
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // True when that was the last one.
  bool Remove() const {
    if (!__libc_single_threaded) return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const uint32_t left = count_.load(std::memory_order_relaxed) - 1;
    count_.store(left, std::memory_order_relaxed);
    return left == 0;
  }

 private:
  mutable std::atomic<uint32_t> count_ = 1;
};

}  // namespace internal

enum class ExprKind : uint8_t {
  kIntImm,
  kFloatImm,
  kVar,
  kAdd,
  kSub,
  kMul,
  kDiv,
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
  kLoad,
  kTranspose,
  kRamp,
  kBroadcast,
  kCast,
};

struct VarNode {
  std::string name;  // for printing only
};
// A loop variable or index parameter; always kIndex.
using Var = std::shared_ptr<const VarNode>;
Var MakeVar(std::string name);

struct ExprNode;
// Never null except when default-constructed; `defined()` tells. A counted reference, as
// std::shared_ptr, in half the space: lowering lives off small nodes.
class Expr {
 public:
  Expr() = default;
  Expr(int64_t value);  // NOLINT: an index literal, so that `e + 1` reads as written
  Expr(int value) : Expr(static_cast<int64_t>(value)) {}  // NOLINT
  Expr(const Var& var);                                   // NOLINT
  // Fills in what is derived. For the makers, who have checked the node.
  explicit Expr(std::unique_ptr<ExprNode> node);

  Expr(const Expr& other);
  Expr(Expr&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Expr& operator=(Expr other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Expr();

  bool defined() const { return node_ != nullptr; }
  const ExprNode& operator*() const { return *node_; }
  const ExprNode* operator->() const { return node_; }
  const ExprNode* get() const { return node_; }
  bool same_as(const Expr& other) const { return node_ == other.node_; }

 private:
  static void Delete(const ExprNode* node);
  const ExprNode* node_ = nullptr;
};

// One node for all kinds, so that visitors and mutators are a loop over args.
struct ExprNode {
  ExprKind kind;
  DType dtype;
  uint32_t hash = 0;        // of the structure, filled in by the makers; see StructuralHash
  int64_t int_value = 0;    // kIntImm; kTranspose: which vector; lanes are in dtype
  double float_value = 0;   // kFloatImm
  uint64_t var_filter = 0;  // the VarBits of all variables in it, filled in by the makers
  Var var;                  // kVar
  Buffer buffer;            // kLoad, kTranspose
  absl::InlinedVector<Expr, 2> args;  // operands in the order of the grammar; indices of kLoad
  internal::ReferenceCount references;
  // Nodes of the tree, a shared one as often as it occurs, since passes walk it so; stops at the
  // largest number. Filled in by the makers.
  uint32_t size = 1;
};

// One bit of 64 for a variable: where a filter lacks it, the variable does not occur. Many passes
// look for few variables, and skip most of a tree this way.
inline uint64_t VarBit(const VarNode* var) {
  const uint64_t mixed = reinterpret_cast<uintptr_t>(var) * 0x9E3779B97F4A7C15u;
  return uint64_t{1} << (mixed >> 58);
}

inline Expr::Expr(const Expr& other) : node_(other.node_) {
  if (node_ != nullptr) node_->references.Add();
}
inline Expr::~Expr() {
  if (node_ != nullptr && node_->references.Remove()) Delete(node_);
}

// Makers. They check types and fold what is constant (also `true && x` and a select on a constant);
// nothing more (Simplify does the rest).
Expr IntImm(int64_t value);
Expr FloatImm(double value, DType dtype = kF32);  // with lanes > 1: a broadcast of it
Expr BoolImm(bool value);                         // an IntImm 0 or 1 of dtype kBool
Expr Zero(DType dtype);
Expr FloorDiv(Expr a, Expr b);
Expr FloorMod(Expr a, Expr b);
Expr Min(Expr a, Expr b);
Expr Max(Expr a, Expr b);
Expr Eq(Expr a, Expr b);
Expr And(Expr a, Expr b);
Expr Or(Expr a, Expr b);
Expr Not(Expr a);
Expr Select(Expr condition, Expr then_value, Expr else_value);
Expr Load(Buffer buffer, std::vector<Expr> indices);
// A vector load: the innermost index is a Ramp or several indices are vectors; lanes follow.
// `rows` is a register buffer of n vectors of n lanes, n a power of two from 2; 0 <= column < n.
Expr Transpose(Buffer rows, int64_t column);
Expr Ramp(Expr base, Expr stride, int lanes);
Expr Broadcast(Expr value, int lanes);  // lanes == 1 returns value
Expr Cast(ScalarType type, Expr value);
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);  // float only; use FloorDiv for indices
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);  // makes b <= a
Expr operator>(Expr a, Expr b);   // makes b < a

// Rebuilds a node of e's kind with other operands (through the makers, so constants fold).
Expr WithArgs(const Expr& e, absl::InlinedVector<Expr, 2> args);

// Whether e is a value that comes from e->buffer.
inline bool IsRead(const Expr& e) {
  return e->kind == ExprKind::kLoad || e->kind == ExprKind::kTranspose;
}

// Constant tests. AsInt holds for kIntImm (bool included) and for a broadcast of one.
bool IsInt(const Expr& e, int64_t* value);
bool IsIntValue(const Expr& e, int64_t value);
bool IsFloat(const Expr& e, double* value);  // also a broadcast of one
bool IsZero(const Expr& e);                  // integer or float zero, also broadcast

}  // namespace alt::ir

#endif  // COMMON_IR_EXPR_H_
