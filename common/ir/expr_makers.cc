// Makers of arithmetic: check the operands, fold constants.

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/math.h"
#include "common/ir/expr.h"
#include "common/ir/expr_internal.h"
#include "common/ir/printer.h"

namespace alt::ir {
namespace {

using internal::IntConstant;

Expr Make(ExprKind kind, DType dtype, Expr a, Expr b) {
  auto node = std::make_unique<ExprNode>(kind, dtype);
  node->args.push_back(std::move(a));
  node->args.push_back(std::move(b));
  return Expr(std::move(node));
}

void CheckAlike(const char* name, const Expr& a, const Expr& b) {
  ALT_CHECK(a.defined() && b.defined()) << name;
  ALT_CHECK(a->dtype == b->dtype) << name << " of " << ToString(a->dtype) << " and "
                                  << ToString(b->dtype) << ": " << Print(a) << ", " << Print(b);
}

// Constant folding of a node with two operands alike; on_float is null where floats are no
// operands.
template <typename OnInt, typename OnFloat>
Expr MakeArithmetic(ExprKind kind, const char* name, Expr a, Expr b, OnInt on_int,
                    OnFloat on_float) {
  CheckAlike(name, a, b);
  const DType dtype = a->dtype;
  ALT_CHECK(dtype.scalar != ScalarType::kBool) << name << " of bool";
  if (dtype.is_float()) {
    double x, y;
    if (IsFloat(a, &x) && IsFloat(b, &y)) return FloatImm(on_float(x, y), dtype);
  } else {
    int64_t x, y;
    if (IsInt(a, &x) && IsInt(b, &y)) return IntConstant(on_int(x, y), dtype);
  }
  return Make(kind, dtype, std::move(a), std::move(b));
}

template <typename Op>
Expr MakeCompare(ExprKind kind, const char* name, Expr a, Expr b, Op op) {
  CheckAlike(name, a, b);
  const DType dtype{ScalarType::kBool, a->dtype.lanes};
  int64_t i, j;
  if (IsInt(a, &i) && IsInt(b, &j)) return IntConstant(op(i, j), dtype);
  double x, y;
  if (IsFloat(a, &x) && IsFloat(b, &y)) return IntConstant(op(x, y), dtype);
  return Make(kind, dtype, std::move(a), std::move(b));
}

void CheckIndex(const char* name, const Expr& a, const Expr& b) {
  CheckAlike(name, a, b);
  ALT_CHECK(a->dtype.scalar == ScalarType::kIndex) << name << " of " << ToString(a->dtype);
  int64_t divisor;
  ALT_CHECK(!IsInt(b, &divisor) || divisor > 0) << name << " by " << divisor;
}

void CheckBool(const char* name, const Expr& a) {
  ALT_CHECK(a->dtype.scalar == ScalarType::kBool) << name << " of " << ToString(a->dtype);
}

double NoFloat(double, double) { return 0; }

}  // namespace

// Sums and products wrap in unsigned arithmetic, so that folding never has undefined behaviour.
Expr operator+(Expr a, Expr b) {
  return MakeArithmetic(
      ExprKind::kAdd, "+", std::move(a), std::move(b),
      [](int64_t x, int64_t y) { return int64_t(uint64_t(x) + uint64_t(y)); },
      [](double x, double y) { return x + y; });
}
Expr operator-(Expr a, Expr b) {
  return MakeArithmetic(
      ExprKind::kSub, "-", std::move(a), std::move(b),
      [](int64_t x, int64_t y) { return int64_t(uint64_t(x) - uint64_t(y)); },
      [](double x, double y) { return x - y; });
}
Expr operator*(Expr a, Expr b) {
  return MakeArithmetic(
      ExprKind::kMul, "*", std::move(a), std::move(b),
      [](int64_t x, int64_t y) { return int64_t(uint64_t(x) * uint64_t(y)); },
      [](double x, double y) { return x * y; });
}
Expr operator/(Expr a, Expr b) {
  ALT_CHECK(a->dtype.is_float()) << "/ of " << ToString(a->dtype) << "; use FloorDiv";
  return MakeArithmetic(
      ExprKind::kDiv, "/", std::move(a), std::move(b), [](int64_t x, int64_t) { return x; },
      [](double x, double y) { return x / y; });
}
Expr FloorDiv(Expr a, Expr b) {
  CheckIndex("floordiv", a, b);
  return MakeArithmetic(ExprKind::kFloorDiv, "floordiv", std::move(a), std::move(b), base::FloorDiv,
                        NoFloat);
}
Expr FloorMod(Expr a, Expr b) {
  CheckIndex("floormod", a, b);
  return MakeArithmetic(ExprKind::kFloorMod, "floormod", std::move(a), std::move(b), base::FloorMod,
                        NoFloat);
}
Expr Min(Expr a, Expr b) {
  return MakeArithmetic(
      ExprKind::kMin, "min", std::move(a), std::move(b),
      [](int64_t x, int64_t y) { return std::min(x, y); },
      [](double x, double y) { return std::min(x, y); });
}
Expr Max(Expr a, Expr b) {
  return MakeArithmetic(
      ExprKind::kMax, "max", std::move(a), std::move(b),
      [](int64_t x, int64_t y) { return std::max(x, y); },
      [](double x, double y) { return std::max(x, y); });
}

Expr operator<(Expr a, Expr b) {
  return MakeCompare(ExprKind::kLt, "<", std::move(a), std::move(b),
                     [](auto x, auto y) { return x < y; });
}
Expr operator<=(Expr a, Expr b) {
  return MakeCompare(ExprKind::kLe, "<=", std::move(a), std::move(b),
                     [](auto x, auto y) { return x <= y; });
}
Expr operator>=(Expr a, Expr b) { return std::move(b) <= std::move(a); }
Expr operator>(Expr a, Expr b) { return std::move(b) < std::move(a); }
Expr Eq(Expr a, Expr b) {
  return MakeCompare(ExprKind::kEq, "==", std::move(a), std::move(b),
                     [](auto x, auto y) { return x == y; });
}

Expr And(Expr a, Expr b) {
  CheckAlike("&&", a, b);
  CheckBool("&&", a);
  if (IsIntValue(a, 1) || IsIntValue(b, 0)) return b;
  if (IsIntValue(b, 1) || IsIntValue(a, 0)) return a;
  const DType dtype = a->dtype;
  return Make(ExprKind::kAnd, dtype, std::move(a), std::move(b));
}

Expr Or(Expr a, Expr b) {
  CheckAlike("||", a, b);
  CheckBool("||", a);
  if (IsIntValue(a, 0) || IsIntValue(b, 1)) return b;
  if (IsIntValue(b, 0) || IsIntValue(a, 1)) return a;
  const DType dtype = a->dtype;
  return Make(ExprKind::kOr, dtype, std::move(a), std::move(b));
}

Expr Not(Expr a) {
  CheckBool("!", a);
  int64_t value;
  if (IsInt(a, &value)) return IntConstant(!value, a->dtype);
  auto node = std::make_unique<ExprNode>(ExprKind::kNot, a->dtype);
  node->args.push_back(std::move(a));
  return Expr(std::move(node));
}

Expr Select(Expr condition, Expr then_value, Expr else_value) {
  CheckAlike("select", then_value, else_value);
  CheckBool("select", condition);
  ALT_CHECK(condition->dtype.lanes == 1 || condition->dtype.lanes == then_value->dtype.lanes)
      << "select of " << ToString(then_value->dtype) << " by " << ToString(condition->dtype);
  int64_t value;
  if (IsInt(condition, &value)) return value ? then_value : else_value;
  auto node = std::make_unique<ExprNode>(ExprKind::kSelect, then_value->dtype);
  node->args.reserve(3);
  node->args.push_back(std::move(condition));
  node->args.push_back(std::move(then_value));
  node->args.push_back(std::move(else_value));
  return Expr(std::move(node));
}

Expr Cast(ScalarType type, Expr value) {
  const DType from = value->dtype;
  const DType to{type, from.lanes};
  if (from == to) return value;
  ALT_CHECK(to.is_float() && (from.is_float() || from.scalar == ScalarType::kIndex))
      << "cast of " << ToString(from) << " to " << ToString(to);
  double number;
  int64_t integer;
  if (IsFloat(value, &number)) return FloatImm(number, to);
  if (IsInt(value, &integer)) return FloatImm(static_cast<double>(integer), to);
  auto node = std::make_unique<ExprNode>(ExprKind::kCast, to);
  node->args.push_back(std::move(value));
  return Expr(std::move(node));
}

Expr WithArgs(const Expr& e, absl::InlinedVector<Expr, 2> args) {
  ALT_CHECK(args.size() == e->args.size()) << Print(e);
  switch (e->kind) {
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kVar:
    case ExprKind::kTranspose:
      return e;
    case ExprKind::kAdd:
      return std::move(args[0]) + std::move(args[1]);
    case ExprKind::kSub:
      return std::move(args[0]) - std::move(args[1]);
    case ExprKind::kMul:
      return std::move(args[0]) * std::move(args[1]);
    case ExprKind::kDiv:
      return std::move(args[0]) / std::move(args[1]);
    case ExprKind::kFloorDiv:
      return FloorDiv(std::move(args[0]), std::move(args[1]));
    case ExprKind::kFloorMod:
      return FloorMod(std::move(args[0]), std::move(args[1]));
    case ExprKind::kMin:
      return Min(std::move(args[0]), std::move(args[1]));
    case ExprKind::kMax:
      return Max(std::move(args[0]), std::move(args[1]));
    case ExprKind::kLt:
      return std::move(args[0]) < std::move(args[1]);
    case ExprKind::kLe:
      return std::move(args[0]) <= std::move(args[1]);
    case ExprKind::kEq:
      return Eq(std::move(args[0]), std::move(args[1]));
    case ExprKind::kAnd:
      return And(std::move(args[0]), std::move(args[1]));
    case ExprKind::kOr:
      return Or(std::move(args[0]), std::move(args[1]));
    case ExprKind::kNot:
      return Not(std::move(args[0]));
    case ExprKind::kSelect:
      return Select(std::move(args[0]), std::move(args[1]), std::move(args[2]));
    case ExprKind::kLoad:
      return Load(e->buffer, {args.begin(), args.end()});
    case ExprKind::kRamp:
      return Ramp(std::move(args[0]), std::move(args[1]), e->dtype.lanes);
    case ExprKind::kBroadcast:
      return Broadcast(std::move(args[0]), e->dtype.lanes);
    case ExprKind::kCast:
      return Cast(e->dtype.scalar, std::move(args[0]));
  }
  return e;
}

}  // namespace alt::ir
