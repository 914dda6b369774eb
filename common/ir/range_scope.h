#ifndef COMMON_IR_RANGE_SCOPE_H_
#define COMMON_IR_RANGE_SCOPE_H_

// What is known at one point of a program: ranges of variables, and facts about sums that guards
// around this point have established. Private to common/ir.

#include <vector>

#include "common/ir/interval_math.h"
#include "common/ir/linear_sum.h"

namespace alt::ir::internal {

class RangeScope {
 public:
  // ranges outlives the scope.
  explicit RangeScope(const RangeMap& ranges) : base_(ranges) {}

  // A point to come back to, like a stack.
  struct Mark {
    size_t ranges;
    size_t facts;
    size_t decisions;
    uint64_t version;
  };
  Mark GetMark() const { return {ranges_.size(), facts_.size(), decisions_.size(), version_}; }
  void Restore(Mark mark);

  void SetRange(const VarNode* var, Interval range) {
    ranges_.push_back({var, range});
    version_ = ++last_version_;
  }
  // Survives Restore, but counts less than any other range.
  void SetPermanentRange(const VarNode* var, Interval range) { permanent_.push_back({var, range}); }
  // From here on condition has this value: ranges of variables narrow, facts are added; what says
  // nothing about ranges (an || that holds, floats) is at least known itself.
  void Assume(const Expr& condition, bool value);
  // From here on sum is within range.
  void AssumeSum(LinearSum sum, Interval range);

  // Whether condition, as it stands, was assumed: its value; -1 where it was not.
  int Decided(const Expr& condition) const;

  // Equal at two times only if the same was known.
  uint64_t version() const { return version_; }

  // Ends may be open. A bool is 0 or 1; a vector's bounds hold for all lanes.
  Interval RangeOf(const VarNode* var) const;
  Interval Bound(const Expr& e) const;
  Interval Bound(const LinearSum& sum) const;
  Interval BoundAtom(const Expr& e) const;

 private:
  struct VarRange {
    const VarNode* var;
    Interval range;
  };
  // sum has no constant, its coefficients have no common factor and the first is positive.
  struct Fact {
    LinearSum sum;
    Interval range;
  };

  struct Decision {
    Expr condition;
    bool value;
  };

  void Decide(const Expr& condition, bool value);
  void NarrowVariables(const Fact& fact);
  // The factor k for which sum - k * fact has no atom of fact; 0 when there is none.
  static int64_t FactorOf(const Fact& fact, const LinearSum& sum);
  Interval BoundTerms(const LinearSum& sum) const;
  Interval BoundWithFacts(const LinearSum& sum) const;
  Interval BoundCompare(const Expr& e) const;

  const RangeMap& base_;
  std::vector<VarRange> ranges_;
  std::vector<VarRange> permanent_;
  std::vector<Fact> facts_;
  std::vector<Decision> decisions_;
  uint64_t version_ = 0;
  uint64_t last_version_ = 0;
};

}  // namespace alt::ir::internal

#endif  // COMMON_IR_RANGE_SCOPE_H_
