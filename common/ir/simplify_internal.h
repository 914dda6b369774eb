#ifndef COMMON_IR_SIMPLIFY_INTERNAL_H_
#define COMMON_IR_SIMPLIFY_INTERNAL_H_

// One run of Simplify: walks an expression or statement from the leaves up, knowing what holds at
// each point. Each simplify_*.cc holds the rules of one kind of node. Private to common/ir.
//
// Index expressions are worked on as sums (linear_sum.h): Collect takes one apart and simplifies
// the atoms; DivideSum and ModuloSum take sums and give sums; ToExpr writes the normal form down,
// and gives the original node back where nothing changed.

#include <utility>
#include <vector>

#include "common/ir/linear_sum.h"
#include "common/ir/range_scope.h"
#include "common/ir/stmt.h"

namespace alt::ir::internal {

// The operands of a chain of && or ||.
using ConditionList = absl::InlinedVector<Expr, 6>;

class Simplifier {
 public:
  explicit Simplifier(const RangeMap& ranges) : scope_(ranges) {}

  Expr Run(const Expr& e);
  Stmt RunAll(const Stmt& s);

 private:
  // simplify.cc
  Expr RunNew(const Expr& e);
  Expr RunIndex(const Expr& e);
  Expr RunBool(const Expr& e);
  Expr RunCondition(const Expr& e);
  Expr RunVar(const Expr& e);
  Expr RunLoad(const Expr& e);
  Expr RunArgs(const Expr& e);

  // simplify_add.cc: sum += coefficient * Run(e).
  void Collect(const Expr& e, int64_t coefficient, LinearSum* sum);
  LinearSum CollectSum(const Expr& e);
  // Folds pairs of terms such as c * floordiv(x, c) + floormod(x, c).
  void FoldPairs(LinearSum* sum);
  bool FoldDivModPair(LinearSum* sum);
  bool FoldModModPair(int mod, int other, LinearSum* sum);
  bool FoldToMod(LinearSum* sum);
  // Whether a - b is a multiple of c for all values of the variables.
  static bool AreCongruent(const LinearSum& a, const LinearSum& b, int64_t c);

  // simplify_div.cc, simplify_mod.cc: floordiv(sum, c) and floormod(sum, c), c > 0. `original` is
  // the node under work, reused where it is already what would be built.
  LinearSum DivideSum(LinearSum sum, int64_t c, const Expr& original = Expr());
  LinearSum ModuloSum(LinearSum sum, int64_t c, const Expr& original = Expr());
  // Takes coefficients modulo c and drops the floormod of an atom by a multiple of c.
  static void ReduceModulo(int64_t c, LinearSum* sum);
  void CollectDivMod(const Expr& e, int64_t coefficient, LinearSum* sum);
  // sum = g * quotient + rest with rest within one block [k * g, (k + 1) * g), for some g that
  // divides c: sum becomes quotient + k, *rest (if not null) rest - k * g. 0: there is no such g.
  int64_t SplitByFactor(int64_t c, LinearSum* sum, LinearSum* rest);
  bool DivideReduced(const LinearSum& sum, int64_t c, LinearSum* out);
  bool DivideNested(LinearSum* sum, int64_t* c);
  // Moves the operator into both arms of a min, max or select where it vanishes there.
  bool PushIntoArms(ExprKind kind, const LinearSum& sum, int64_t c, LinearSum* out);

  // simplify_minmax.cc
  Expr RunMinMax(const Expr& e);
  Expr BuildMinMax(ExprKind kind, Expr a, Expr b, const Expr& original = Expr());
  Expr FoldNestedMinMax(ExprKind kind, const Expr& a, const Expr& b);
  Interval DifferenceOf(const Expr& a, const Expr& b) const;

  // simplify_select.cc
  Expr RunSelect(const Expr& e);

  // simplify_compare.cc
  Expr RunCompare(const Expr& e);
  Expr RunLess(const Expr& e);
  Expr RunEqual(const Expr& e);
  bool TightenLess(LinearSum* sum, int64_t* limit);

  // simplify_logic.cc
  Expr RunAndOr(const Expr& e);
  bool CollectOperands(const Expr& e, ExprKind kind, ConditionList* operands);
  Interval ImpliedBound(const ConditionList& operands, size_t i, bool is_and);
  Expr RunNot(const Expr& e);

  // simplify_float.cc
  Expr RunFloat(const Expr& e);

  // simplify_vector.cc: index and bool vectors, as functions of the lane.
  Expr RunVector(const Expr& e);
  // `load` has simplified indices, some of them vectors.
  Expr RunVectorLoad(const Expr& load);
  Expr LaneOf(int lanes);
  Expr Vectorize(const Expr& e, const Expr& lane, int lanes);

  // simplify_stmt.cc
  Stmt Run(const Stmt& s);
  Stmt RunFor(const Stmt& s);
  Stmt RunIf(const Stmt& s);
  Stmt RunStore(const Stmt& s);
  Stmt RunParts(const Stmt& s);

  // Loops of one iteration: their variable stands for this expression, which is simplified.
  struct Binding {
    const VarNode* var;
    Expr value;
  };

  // What Run gave for an expression, by its hash. Unrolled code repeats the same few indices in
  // hundreds of stores; the results are shared, so later passes gain too.
  struct Remembered {
    uint64_t version = 0;  // of what was known
    Expr e;
    Expr result;
  };
  static constexpr size_t kMemory = 256;

  RangeScope scope_;
  std::vector<Binding> bindings_;
  std::vector<Remembered> memory_;           // empty until statements are simplified
  std::vector<std::pair<int, Expr>> lanes_;  // the lane variable for each number of lanes
};

}  // namespace alt::ir::internal

#endif  // COMMON_IR_SIMPLIFY_INTERNAL_H_
