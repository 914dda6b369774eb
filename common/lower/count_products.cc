#include "common/lower/count_products.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/ir/interpreter.h"
#include "common/ir/visitor.h"

namespace alt::lower {
namespace {

using Values = absl::flat_hash_map<const ir::VarNode*, int64_t>;

// Iterations that are looked at one by one; loops whose iterations are all alike cost one.
constexpr int64_t kMostSteps = 20000;

bool IsConstant(const ir::Expr& e) {
  double value;
  return ir::IsFloat(e, &value);
}

// Shared subexpressions count once: `seen` holds those of one statement.
int64_t ProductsOf(const ir::Expr& e, absl::flat_hash_set<const ir::ExprNode*>& seen) {
  if (!seen.insert(e.get()).second) return 0;
  if (e->kind == ir::ExprKind::kSelect) {
    return ProductsOf(e->args[0], seen) +
           std::min(ProductsOf(e->args[1], seen), ProductsOf(e->args[2], seen));
  }
  int64_t products = 0;
  if (e->kind == ir::ExprKind::kMul && e->dtype.is_float() && !IsConstant(e->args[0]) &&
      !IsConstant(e->args[1])) {
    products = e->dtype.lanes;
  }
  for (const ir::Expr& arg : e->args) products += ProductsOf(arg, seen);
  return products;
}

// Whether loop bounds or conditions below `s` depend on `var`: then iterations differ.
bool ControlUses(const ir::Stmt& s, const ir::Var& var) {
  bool uses = false;
  ir::VisitStmt(s, [&](const ir::Stmt& stmt) {
    if (stmt->kind == ir::StmtKind::kFor) {
      uses = uses || ir::UsesVar(stmt->min(), var) || ir::UsesVar(stmt->extent(), var);
    } else if (stmt->kind == ir::StmtKind::kIf) {
      uses = uses || ir::UsesVar(stmt->condition(), var);
    }
    return !uses;
  });
  return uses;
}

class ProductCounter {
 public:
  int64_t Count(const ir::Stmt& s) {
    switch (s->kind) {
      case ir::StmtKind::kFor:
        return CountLoop(s);
      case ir::StmtKind::kIf:
        return CountIf(s);
      case ir::StmtKind::kStore:
        return CountStore(s);
      case ir::StmtKind::kPrefetch:
      case ir::StmtKind::kNop:
        return 0;
      default: {
        int64_t products = 0;
        for (const ir::Stmt& stmt : s->stmts) products += Count(stmt);
        return products;
      }
    }
  }

 private:
  int64_t CountLoop(const ir::Stmt& s) {
    const int64_t min = ir::EvaluateIndex(s->min(), values_);
    const int64_t extent = std::max<int64_t>(0, ir::EvaluateIndex(s->extent(), values_));
    if (extent == 0) return 0;
    int64_t products = 0;
    if (AllAlike(s)) {
      values_[s->var.get()] = min;
      products = extent * Count(s->body());
    } else {
      for (int64_t i = 0; i < extent && ++steps_ < kMostSteps; ++i) {
        values_[s->var.get()] = min + i;
        products += Count(s->body());
      }
    }
    values_.erase(s->var.get());
    return products;
  }

  // The same statement comes up once for each iteration of the loops around it that differ: what
  // does not depend on those is kept.
  bool AllAlike(const ir::Stmt& loop) {
    const auto [kept, inserted] = alike_.try_emplace(loop.get(), false);
    if (inserted) kept->second = !ControlUses(loop->body(), loop->var);
    return kept->second;
  }

  int64_t CountStore(const ir::Stmt& s) {
    const auto [kept, inserted] = stores_.try_emplace(s.get(), 0);
    if (inserted) {
      absl::flat_hash_set<const ir::ExprNode*> seen;
      kept->second = ProductsOf(s->value(), seen);
    }
    return kept->second;
  }

  int64_t CountIf(const ir::Stmt& s) {
    const bool taken = ir::EvaluateIndex(s->condition(), values_) != 0;
    if (taken) return Count(s->stmts[0]);
    return s->stmts.size() > 1 ? Count(s->stmts[1]) : 0;
  }

  Values values_;
  absl::flat_hash_map<const ir::StmtNode*, bool> alike_;
  absl::flat_hash_map<const ir::StmtNode*, int64_t> stores_;
  int64_t steps_ = 0;
};

}  // namespace

int64_t CountProducts(const ir::Module& module) {
  int64_t products = 0;
  for (const ir::Function& function : module.functions) {
    products += ProductCounter().Count(function.body);
  }
  return products;
}

}  // namespace alt::lower
