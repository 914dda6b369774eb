#include "tests/common/ir/random_expr.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "common/ir/visitor.h"

namespace alt::ir {
namespace {

int CountNodes(const Expr& e) {
  int count = 0;
  VisitExpr(e, [&](const Expr&) {
    ++count;
    return true;
  });
  return count;
}

// All copies of e in which one node is replaced by something smaller of its type.
std::vector<Expr> Reductions(const Expr& e) {
  std::vector<Expr> results;
  if (e->args.empty()) {
    int64_t value;
    if (e->kind == ExprKind::kVar) results = {Expr(0), Expr(1)};
    if (IsInt(e, &value) && e->dtype == kIndex && value > 1) {
      results = {Expr(value / 2), Expr(value - 1)};
    }
    if (IsInt(e, &value) && e->dtype == kIndex && value < 0) results = {Expr(-value), Expr(0)};
    return results;
  }
  if (e->dtype == kIndex) results = {Expr(0), Expr(1)};
  for (const Expr& arg : e->args) {
    if (arg->dtype == e->dtype) results.push_back(arg);
  }
  for (size_t i = 0; i < e->args.size(); ++i) {
    for (const Expr& reduced : Reductions(e->args[i])) {
      const bool divides = e->kind == ExprKind::kFloorDiv || e->kind == ExprKind::kFloorMod;
      int64_t divisor;
      if (divides && i == 1 && (!IsInt(reduced, &divisor) || divisor < 1)) continue;
      absl::InlinedVector<Expr, 2> args = e->args;
      args[i] = reduced;
      results.push_back(WithArgs(e, std::move(args)));
    }
  }
  return results;
}

}  // namespace

RandomExpr::RandomExpr(uint64_t seed, const Options& options) : random_(seed) {
  static constexpr const char* kNames[] = {"x", "y", "z", "u", "v", "w"};
  for (int i = 0; i < options.num_vars; ++i) {
    vars_.push_back(MakeVar(kNames[i % 6]));
    const int64_t extent = random_.UniformInt(1, options.max_extent);
    const int64_t min =
        options.negative_mins && random_.Bernoulli(0.25) ? random_.UniformInt(-5, 5) : 0;
    const Interval range{min, min + extent - 1};
    ranges_[vars_.back().get()] = range;
    if (!random_.Bernoulli(options.open_ranges)) {
      known_[vars_.back().get()] = range;
    } else if (random_.Bernoulli(0.5)) {
      known_[vars_.back().get()] = {min, INT64_MAX};
    }
  }
}

Expr RandomExpr::Leaf() {
  if (random_.Bernoulli(0.7)) return random_.Choice(vars_);
  return random_.UniformInt(-6, 20);
}

int64_t RandomExpr::Divisor() {
  static const std::vector<int64_t> kUsual = {2, 3, 4, 4, 6, 8, 8, 12, 14, 16, 28, 32};
  return random_.Bernoulli(0.7) ? random_.Choice(kUsual) : random_.UniformInt(1, 20);
}

Expr RandomExpr::Index(int depth) {
  if (depth == 0) return Leaf();
  switch (random_.Uniform(14)) {
    case 0:
    case 1:
    case 2:
      return Index(depth - 1) + Index(depth - 1);
    case 3:
      return Index(depth - 1) - Index(depth - 1);
    case 4:
      return Index(depth - 1) * Expr(random_.UniformInt(-3, 6));
    case 5:
      return Index(depth - 1) * Expr(Divisor());
    case 6:
    case 7:
      return FloorDiv(Index(depth - 1), Divisor());
    case 8:
    case 9:
      return FloorMod(Index(depth - 1), Divisor());
    case 10:
      return Min(Index(depth - 1), Index(depth - 1));
    case 11:
      return Max(Index(depth - 1), Index(depth - 1));
    case 12:
      return Select(Condition(depth - 1), Index(depth - 1), Index(depth - 1));
    default:
      return Leaf();
  }
}

Expr RandomExpr::Condition(int depth) {
  const int below = depth > 0 ? depth - 1 : 0;
  switch (random_.Uniform(depth > 0 ? 7 : 3)) {
    case 0:
      return Index(below) < Index(below);
    case 1:
      return Index(below) <= Index(below);
    case 2:
      return Eq(Index(below), Index(below));
    case 3:
    case 4:
      return And(Condition(below), Condition(below));
    case 5:
      return Or(Condition(below), Condition(below));
    default:
      return Not(Condition(below));
  }
}

Expr RandomExpr::MixedRadix(int steps) {
  // Numbers with their (exclusive) ends: at first the variables.
  struct Number {
    Expr e;
    int64_t end;
  };
  std::vector<Number> numbers;
  for (const Var& var : vars_) {
    const Interval range = ranges_[var.get()];
    numbers.push_back({Expr(var) - range.min, range.max - range.min + 1});
  }
  for (int step = 0; step < steps; ++step) {
    Number& a = numbers[random_.Uniform(numbers.size())];
    const Number b = random_.Choice(numbers);
    switch (random_.Uniform(6)) {
      case 0:
      case 1:  // fuse
        if (a.end * b.end < 100000) a = {a.e * Expr(b.end) + b.e, a.end * b.end};
        break;
      case 2: {  // split
        const int64_t factor = Divisor();
        const Number inner = {FloorMod(a.e, factor), std::min(factor, a.end)};
        a = {FloorDiv(a.e, factor), (a.end + factor - 1) / factor};
        numbers.push_back(inner);
        break;
      }
      case 3: {  // split and put together again
        const int64_t factor = Divisor();
        a.e = FloorDiv(a.e, factor) * Expr(factor) + FloorMod(a.e, factor);
        break;
      }
      case 4: {  // unfold: a clamped tile and the offset in it
        const int64_t tile = Divisor();
        const int64_t tiles = std::max<int64_t>(1, a.end / tile);
        const Expr t = Min(FloorDiv(a.e, tile), tiles - 1);
        a.e = a.e - t * Expr(tile);
        numbers.push_back({t, tiles});  // a is gone from here on
        break;
      }
      default:  // a window
        a = {a.e + b.e, a.end + b.end - 1};
        break;
    }
  }
  Expr sum = 0;
  for (const Number& number : numbers) {
    sum = std::move(sum) + number.e * Expr(random_.UniformInt(1, 40));
  }
  return random_.Bernoulli(0.5) ? random_.Choice(numbers).e : sum;
}

Expr Shrink(Expr e, const std::function<bool(const Expr&)>& fails) {
  for (bool progress = true; progress;) {
    progress = false;
    for (const Expr& candidate : Reductions(e)) {
      if (candidate->dtype != e->dtype || CountNodes(candidate) > CountNodes(e)) continue;
      if (candidate.same_as(e) || !fails(candidate)) continue;
      e = candidate;
      progress = true;
      break;
    }
  }
  return e;
}

std::string Print(const std::vector<Var>& vars, const RangeMap& ranges) {
  std::string text;
  for (const Var& var : vars) {
    if (!ranges.contains(var.get())) continue;
    const Interval range = ranges.at(var.get());
    absl::StrAppend(&text, text.empty() ? "" : ", ", var->name, " in [", range.min, ", ", range.max,
                    "]");
  }
  return text;
}

}  // namespace alt::ir
