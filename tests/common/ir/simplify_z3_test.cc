// Simplify against z3: over ranges too large to enumerate, the original and the simplified
// expression have no point at which they differ.
#include <gtest/gtest.h>
#include <z3++.h>

#include "absl/container/flat_hash_map.h"
#include "common/base/check.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "tests/common/ir/random_expr.h"

namespace alt::ir {
namespace {

// Index and bool expressions in z3's integer arithmetic, whose div and mod are Euclidean: for the
// positive divisors of floordiv and floormod that is the same.
class Translator {
 public:
  explicit Translator(z3::context& context) : context_(context) {}

  z3::expr Variable(const VarNode* var) {
    auto it = variables_.find(var);
    if (it == variables_.end()) {
      // Names may repeat; the address does not.
      const std::string name = var->name + std::to_string(variables_.size());
      it = variables_.emplace(var, context_.int_const(name.c_str())).first;
    }
    return it->second;
  }

  z3::expr Translate(const Expr& e) {
    if (e->kind == ExprKind::kVar) return Variable(e->var.get());
    if (e->kind == ExprKind::kIntImm) {
      return e->dtype == kBool ? context_.bool_val(e->int_value != 0)
                               : context_.int_val(int64_t{e->int_value});
    }
    const z3::expr a = Translate(e->args[0]);
    if (e->kind == ExprKind::kNot) return !a;
    const z3::expr b = Translate(e->args[1]);
    switch (e->kind) {
      case ExprKind::kAdd:
        return a + b;
      case ExprKind::kSub:
        return a - b;
      case ExprKind::kMul:
        return a * b;
      case ExprKind::kFloorDiv:
        return a / b;
      case ExprKind::kFloorMod:
        return z3::mod(a, b);
      case ExprKind::kMin:
        return z3::ite(a <= b, a, b);
      case ExprKind::kMax:
        return z3::ite(a >= b, a, b);
      case ExprKind::kLt:
        return a < b;
      case ExprKind::kLe:
        return a <= b;
      case ExprKind::kEq:
        return a == b;
      case ExprKind::kAnd:
        return a && b;
      case ExprKind::kOr:
        return a || b;
      case ExprKind::kSelect:
        return z3::ite(a, b, Translate(e->args[2]));
      default:
        break;
    }
    ALT_CHECK(false) << Print(e);
    return a;
  }

 private:
  z3::context& context_;
  absl::flat_hash_map<const VarNode*, z3::expr> variables_;
};

z3::check_result Differ(const Expr& e, const Expr& simplified, const RangeMap& ranges) {
  z3::context context;
  z3::solver solver(context);
  z3::params params(context);
  params.set("rlimit", 1000000u);  // steps, not time: the same on every machine
  solver.set(params);
  Translator translator(context);
  for (const auto& [var, range] : ranges) {
    const z3::expr variable = translator.Variable(var);
    solver.add(variable >= context.int_val(range.min) && variable <= context.int_val(range.max));
  }
  solver.add(translator.Translate(e) != translator.Translate(simplified));
  return solver.check();
}

template <typename Make>
void CheckMany(int cases, uint64_t first_seed, const RandomExpr::Options& options, Make make) {
  int proved = 0;
  int changed = 0;
  for (int i = 0; i < cases; ++i) {
    const uint64_t seed = first_seed + i;
    RandomExpr random(seed, options);
    const Expr e = make(random);
    const Expr simplified = Simplify(e, random.ranges());
    if (simplified.same_as(e)) continue;
    ++changed;
    const z3::check_result result = Differ(e, simplified, random.ranges());
    proved += result == z3::unsat;
    if (result != z3::sat) continue;
    ADD_FAILURE() << "seed " << seed << ": " << Print(e) << "\n  becomes " << Print(simplified)
                  << "\n  where " << Print(random.vars(), random.ranges());
  }
  // z3 gives up on some; it must not on most.
  EXPECT_GT(changed, cases / 3);
  EXPECT_GT(proved * 10, changed * 8) << proved << " proved of " << changed;
}

TEST(SimplifyZ3Test, IndexExpressionsOverLargeRanges) {
  CheckMany(250, 1000, {.num_vars = 3, .max_extent = 3000},
            [](RandomExpr& random) { return random.Index(3); });
}

TEST(SimplifyZ3Test, ConditionsOverLargeRanges) {
  CheckMany(250, 2000, {.num_vars = 3, .max_extent = 3000},
            [](RandomExpr& random) { return random.Condition(3); });
}

TEST(SimplifyZ3Test, MixedRadixOverLargeRanges) {
  CheckMany(200, 3000, {.num_vars = 3, .max_extent = 300, .negative_mins = false},
            [](RandomExpr& random) { return random.MixedRadix(4); });
}

}  // namespace
}  // namespace alt::ir
