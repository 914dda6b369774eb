// Variables with ranges, and the printed result of Simplify under them.
#ifndef TESTS_COMMON_IR_SIMPLIFY_FIXTURE_H_
#define TESTS_COMMON_IR_SIMPLIFY_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/ir/interpreter.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "common/ir/visitor.h"

namespace alt::ir {

class SimplifyFixture : public ::testing::Test {
 protected:
  // A variable over [0, extent), over [min, max], over all integers.
  Expr V(const char* name, int64_t extent) { return Between(name, 0, extent - 1); }
  Expr Between(const char* name, int64_t min, int64_t max) {
    vars_.push_back(MakeVar(name));
    ranges_[vars_.back().get()] = {min, max};
    return vars_.back();
  }
  static Expr Unbounded(const char* name) { return MakeVar(name); }

  std::string S(const Expr& e) const { return Print(Simplify(e, ranges_)); }

  // Fails where Simplify changes the value of e for some values of the variables.
  void ExpectSameEverywhere(const Expr& e) const {
    const Expr simplified = Simplify(e, ranges_);
    absl::flat_hash_map<const VarNode*, int64_t> values;
    for (const Var& var : vars_) values[var.get()] = ranges_.at(var.get()).min;
    while (true) {
      ASSERT_EQ(EvaluateIndex(e, values), EvaluateIndex(simplified, values))
          << Print(e) << " became " << Print(simplified);
      // The next point, the first variable fastest.
      size_t i = 0;
      while (i < vars_.size() && ++values[vars_[i].get()] > ranges_.at(vars_[i].get()).max) {
        values[vars_[i].get()] = ranges_.at(vars_[i].get()).min;
        ++i;
      }
      if (i == vars_.size()) return;
    }
  }

  static int CountKind(const Expr& e, ExprKind kind) {
    int count = 0;
    VisitExpr(e, [&](const Expr& node) {
      count += node->kind == kind;
      return true;
    });
    return count;
  }
  static int CountDivMod(const Expr& e) {
    return CountKind(e, ExprKind::kFloorDiv) + CountKind(e, ExprKind::kFloorMod);
  }

  std::vector<Var> vars_;
  RangeMap ranges_;
};

}  // namespace alt::ir

#endif  // TESTS_COMMON_IR_SIMPLIFY_FIXTURE_H_
