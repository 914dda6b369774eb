// Simplify keeps the value of random expressions at every point of their ranges, is idempotent, and
// BoundsOf is sound. A failure prints the seed and a shrunk case.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/ir/equality.h"
#include "common/ir/interpreter.h"
#include "common/ir/printer.h"
#include "common/ir/simplify.h"
#include "tests/common/ir/random_expr.h"
#include "tests/testing/fuzz_cases.h"

namespace alt::ir {
namespace {

using testing::FuzzCases;

// The values of index (or bool) expressions at every point of ranges, in one run.
std::vector<std::vector<double>> ValuesOf(const std::vector<Expr>& exprs,
                                          const std::vector<Var>& vars, const RangeMap& ranges) {
  int64_t points = 1;
  Expr point = 0;
  for (const Var& var : vars) {
    const Interval range = ranges.at(var.get());
    const int64_t extent = range.max - range.min + 1;
    point = std::move(point) * Expr(extent) + (Expr(var) - range.min);
    points *= extent;
  }
  std::vector<Buffer> buffers;
  std::vector<Stmt> stores;
  Memory memory;
  for (const Expr& e : exprs) {
    const bool is_bool = e->dtype == kBool;
    buffers.push_back(MakeBuffer("v", {points}, is_bool ? kBool : kIndex));
    memory[buffers.back().get()].resize(points);
    stores.push_back(Store(buffers.back(), {point}, e));
  }
  Stmt body = Block(std::move(stores));
  for (const Var& var : vars) {
    const Interval range = ranges.at(var.get());
    body = For(var, range.min, range.max - range.min + 1, ForKind::kSerial, std::move(body));
  }
  ALT_CHECK_OK(Interpret(Function{"values", buffers, std::move(body)}, memory));
  std::vector<std::vector<double>> values;
  for (const Buffer& buffer : buffers) values.push_back(std::move(memory[buffer.get()]));
  return values;
}

// What is wrong with Simplify(e); empty when all is well.
std::string Complaint(const Expr& e, const RandomExpr& random) {
  const RangeMap& known = random.known();
  const Expr simplified = Simplify(e, known);
  const auto values = ValuesOf({e, simplified}, random.vars(), random.ranges());
  if (values[0] != values[1]) return absl::StrCat("changes its value: ", Print(simplified));
  for (const Expr& bounded : {e, simplified}) {
    const std::optional<Interval> bounds = BoundsOf(bounded, known);
    if (!bounds.has_value()) {
      if (known != random.ranges()) continue;
      return absl::StrCat("no bounds: ", Print(bounded));
    }
    for (double value : values[0]) {
      if (value >= bounds->min && value <= bounds->max) continue;
      return absl::StrCat("has the value ", value, " outside its bounds [", bounds->min, ", ",
                          bounds->max, "]: ", Print(bounded));
    }
  }
  const Expr again = Simplify(simplified, known);
  if (!StructurallyEqual(again, simplified)) {
    return absl::StrCat("is not settled: ", Print(simplified), " becomes ", Print(again));
  }
  if (!again.same_as(simplified)) return absl::StrCat("is rebuilt: ", Print(again));
  return "";
}

template <typename Make>
void CheckMany(int cases, uint64_t first_seed, const RandomExpr::Options& options, Make make) {
  int failures = 0;
  for (int i = 0; i < cases && failures < 3; ++i) {
    const uint64_t seed = first_seed + i;
    RandomExpr random(seed, options);
    const Expr e = make(random);
    const auto complain = [&](const Expr& candidate) { return Complaint(candidate, random); };
    if (complain(e).empty()) continue;
    ++failures;
    const Expr shrunk =
        Shrink(e, [&](const Expr& candidate) { return !complain(candidate).empty(); });
    ADD_FAILURE() << "seed " << seed << ": " << Print(shrunk) << "\n  " << complain(shrunk)
                  << "\n  where " << Print(random.vars(), random.ranges()) << ", known "
                  << Print(random.vars(), random.known());
  }
}

TEST(SimplifyPropertyTest, SmallExpressionsKeepTheirValue) {
  CheckMany(FuzzCases(3000), 1, {.num_vars = 2},
            [](RandomExpr& random) { return random.Index(2); });
}

TEST(SimplifyPropertyTest, LargerExpressionsKeepTheirValue) {
  CheckMany(FuzzCases(3000), 100000, {.num_vars = 3},
            [](RandomExpr& random) { return random.Index(4); });
}

TEST(SimplifyPropertyTest, DeepExpressionsKeepTheirValue) {
  CheckMany(FuzzCases(400), 400000, {.num_vars = 4, .max_extent = 5},
            [](RandomExpr& random) { return random.Index(7); });
}

TEST(SimplifyPropertyTest, ExpressionsWithOpenRangesKeepTheirValue) {
  CheckMany(FuzzCases(2000), 500000, {.num_vars = 3, .open_ranges = 0.5},
            [](RandomExpr& random) { return random.Index(4); });
  CheckMany(FuzzCases(1000), 600000, {.num_vars = 3, .open_ranges = 0.5},
            [](RandomExpr& random) { return random.Condition(3); });
}

TEST(SimplifyPropertyTest, ConditionsKeepTheirValue) {
  CheckMany(FuzzCases(3000), 200000, {.num_vars = 3},
            [](RandomExpr& random) { return random.Condition(3); });
}

TEST(SimplifyPropertyTest, MixedRadixKeepsItsValue) {
  CheckMany(FuzzCases(3000), 300000, {.num_vars = 3, .negative_mins = false},
            [](RandomExpr& random) { return random.MixedRadix(5); });
}

}  // namespace
}  // namespace alt::ir
