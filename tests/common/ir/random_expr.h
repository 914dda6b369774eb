// Random index expressions with random ranges, for the property tests, and a shrinker.
#ifndef TESTS_COMMON_IR_RANDOM_EXPR_H_
#define TESTS_COMMON_IR_RANDOM_EXPR_H_

#include <functional>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/ir/interval.h"

namespace alt::ir {

class RandomExpr {
 public:
  struct Options {
    int num_vars = 3;
    int64_t max_extent = 8;
    bool negative_mins = true;
    double open_ranges = 0;  // probability that a variable's range is kept from known()
  };
  RandomExpr(uint64_t seed, const Options& options);

  // Anything that the grammar allows.
  Expr Index(int depth);
  Expr Condition(int depth);
  // What layouts and splits make: digits of digits, put together and taken apart again.
  Expr MixedRadix(int steps);

  const std::vector<Var>& vars() const { return vars_; }
  // Where variables run, and what of it is told to the simplifier.
  const RangeMap& ranges() const { return ranges_; }
  const RangeMap& known() const { return known_; }

 private:
  Expr Leaf();
  int64_t Divisor();

  base::Random random_;
  std::vector<Var> vars_;
  RangeMap ranges_;
  RangeMap known_;
};

// A smaller expression for which fails is still true, by replacing parts by their operands or by
// constants.
Expr Shrink(Expr e, const std::function<bool(const Expr&)>& fails);

// "x in [0, 7], y in [-2, 3]"
std::string Print(const std::vector<Var>& vars, const RangeMap& ranges);

}  // namespace alt::ir

#endif  // TESTS_COMMON_IR_RANDOM_EXPR_H_
