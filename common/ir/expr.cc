#include "common/ir/expr.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/ir/expr_internal.h"

namespace alt::ir {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

uint64_t HashOf(const ExprNode& node) {
  uint64_t hash =
      Mix(static_cast<uint64_t>(node.kind) << 8 | static_cast<uint64_t>(node.dtype.scalar),
          static_cast<uint64_t>(node.dtype.lanes));
  switch (node.kind) {
    case ExprKind::kIntImm:
      return Mix(hash, static_cast<uint64_t>(node.int_value));
    case ExprKind::kFloatImm: {
      uint64_t bits;
      std::memcpy(&bits, &node.float_value, sizeof(bits));
      return Mix(hash, bits);
    }
    case ExprKind::kVar:
      return Mix(hash, reinterpret_cast<uintptr_t>(node.var.get()));
    case ExprKind::kLoad:
      hash = Mix(hash, reinterpret_cast<uintptr_t>(node.buffer.get()));
      break;
    case ExprKind::kTranspose:
      hash = Mix(hash, reinterpret_cast<uintptr_t>(node.buffer.get()));
      return Mix(hash, static_cast<uint64_t>(node.int_value));
    default:
      break;
  }
  for (const Expr& arg : node.args) hash = Mix(hash, arg->hash);
  return hash;
}

}  // namespace

namespace internal {

Expr IntConstant(int64_t value, DType dtype) {
  auto node = std::make_unique<ExprNode>(ExprKind::kIntImm, dtype.WithLanes(1));
  node->int_value = value;
  return Broadcast(Expr(std::move(node)), dtype.lanes);
}

}  // namespace internal

Expr::Expr(std::unique_ptr<ExprNode> node) {
  node->hash = static_cast<uint32_t>(HashOf(*node));
  node->var_filter = node->var == nullptr ? 0 : VarBit(node->var.get());
  uint64_t size = 1;
  for (const Expr& arg : node->args) {
    node->var_filter |= arg->var_filter;
    size += arg->size;
  }
  node->size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  node_ = node.release();
}

void Expr::Delete(const ExprNode* node) { delete node; }

Var MakeVar(std::string name) { return std::make_shared<const VarNode>(VarNode{std::move(name)}); }

Expr::Expr(int64_t value) : Expr(IntImm(value)) {}

Expr::Expr(const Var& var) {
  ALT_CHECK(var != nullptr);
  auto node = std::make_unique<ExprNode>(ExprKind::kVar, kIndex);
  node->var = var;
  *this = Expr(std::move(node));
}

Expr IntImm(int64_t value) { return internal::IntConstant(value, kIndex); }
Expr BoolImm(bool value) { return internal::IntConstant(value, kBool); }

Expr FloatImm(double value, DType dtype) {
  ALT_CHECK(dtype.is_float()) << ToString(dtype);
  auto node = std::make_unique<ExprNode>(ExprKind::kFloatImm, dtype.WithLanes(1));
  node->float_value = dtype.scalar == ScalarType::kF32 ? static_cast<float>(value) : value;
  return Broadcast(Expr(std::move(node)), dtype.lanes);
}

Expr Zero(DType dtype) {
  return dtype.is_float() ? FloatImm(0, dtype) : internal::IntConstant(0, dtype);
}

Expr Load(Buffer buffer, std::vector<Expr> indices) {
  ALT_CHECK(buffer != nullptr);
  ALT_CHECK(indices.size() == buffer->shape.size())
      << buffer->name << " has " << buffer->shape.size() << " dimensions, not " << indices.size();
  int lanes = 1;
  for (const Expr& index : indices) {
    ALT_CHECK(index.defined() && index->dtype.scalar == ScalarType::kIndex) << buffer->name;
    if (index->dtype.lanes == 1) continue;
    ALT_CHECK(lanes == 1 || lanes == index->dtype.lanes) << buffer->name;
    lanes = index->dtype.lanes;
  }
  ALT_CHECK(lanes == 1 || buffer->dtype.lanes == 1)
      << "vector of indices into " << buffer->name << ", whose elements are vectors";
  auto node = std::make_unique<ExprNode>(ExprKind::kLoad,
                                         buffer->dtype.WithLanes(lanes * buffer->dtype.lanes));
  node->buffer = std::move(buffer);
  node->args.assign(std::make_move_iterator(indices.begin()),
                    std::make_move_iterator(indices.end()));
  return Expr(std::move(node));
}

Expr Transpose(Buffer rows, int64_t column) {
  ALT_CHECK(rows != nullptr && rows->scope == Scope::kRegister && rows->shape.size() == 1);
  const int n = rows->dtype.lanes;
  ALT_CHECK(n >= 2 && (n & (n - 1)) == 0 && rows->shape[0] == n && column >= 0 && column < n)
      << "column " << column << " of " << rows->name;
  auto node = std::make_unique<ExprNode>(ExprKind::kTranspose, rows->dtype);
  node->buffer = std::move(rows);
  node->int_value = column;
  return Expr(std::move(node));
}

Expr Ramp(Expr base, Expr stride, int lanes) {
  ALT_CHECK(base->dtype == kIndex && stride->dtype == kIndex && lanes >= 1) << lanes;
  if (lanes == 1) return base;
  auto node = std::make_unique<ExprNode>(ExprKind::kRamp, kIndex.WithLanes(lanes));
  node->args.push_back(std::move(base));
  node->args.push_back(std::move(stride));
  return Expr(std::move(node));
}

Expr Broadcast(Expr value, int lanes) {
  ALT_CHECK(lanes >= 1) << lanes;
  if (lanes == 1) return value;
  ALT_CHECK(value->dtype.lanes == 1) << "broadcast of " << ToString(value->dtype);
  auto node = std::make_unique<ExprNode>(ExprKind::kBroadcast, value->dtype.WithLanes(lanes));
  node->args.push_back(std::move(value));
  return Expr(std::move(node));
}

bool IsInt(const Expr& e, int64_t* value) {
  const ExprNode* node = e.get();
  if (node->kind == ExprKind::kBroadcast) node = node->args[0].get();
  if (node->kind != ExprKind::kIntImm) return false;
  *value = node->int_value;
  return true;
}

bool IsIntValue(const Expr& e, int64_t value) {
  int64_t actual;
  return IsInt(e, &actual) && actual == value;
}

bool IsFloat(const Expr& e, double* value) {
  const ExprNode* node = e.get();
  if (node->kind == ExprKind::kBroadcast) node = node->args[0].get();
  if (node->kind != ExprKind::kFloatImm) return false;
  *value = node->float_value;
  return true;
}

bool IsZero(const Expr& e) {
  double value;
  return IsIntValue(e, 0) || (IsFloat(e, &value) && value == 0);
}

}  // namespace alt::ir
