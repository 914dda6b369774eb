#include "common/lower/vectorize_loops.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/mutator.h"
#include "common/ir/substitute.h"
#include "common/ir/visitor.h"

namespace alt::lower {
namespace {

// Gives buffers allocated in a vector body an element for each lane: B[i] -> B[i*lanes + lane],
// with lane an expression in the loop's variable, so that substituting a ramp for it makes vectors.
class LaneExpander : public ir::Mutator {
 public:
  LaneExpander(int lanes, ir::Expr lane) : lanes_(lanes), lane_(std::move(lane)) {}

  ir::Expr MutateExpr(const ir::Expr& e) override {
    const ir::Expr mutated = ir::Mutator::MutateExpr(e);
    if (mutated->kind != ir::ExprKind::kLoad) return mutated;
    const auto wide = wide_.find(mutated->buffer.get());
    if (wide == wide_.end()) return mutated;
    return ir::Load(wide->second, {mutated->args[0] * ir::Expr(lanes_) + lane_});
  }

  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    if (s->kind == ir::StmtKind::kAllocate) {
      const ir::Buffer wide =
          ir::MakeBuffer(s->buffer->name, {ir::NumElements(*s->buffer) * lanes_}, s->buffer->dtype,
                         s->buffer->scope);
      wide_[s->buffer.get()] = wide;
      return ir::Allocate(wide, MutateStmt(s->body()));
    }
    const ir::Stmt mutated = ir::Mutator::MutateStmt(s);
    if (mutated->kind != ir::StmtKind::kStore) return mutated;
    const auto wide = wide_.find(mutated->buffer.get());
    if (wide == wide_.end()) return mutated;
    return ir::Store(wide->second, {ir::IndicesOf(*mutated)[0] * ir::Expr(lanes_) + lane_},
                     mutated->value());
  }

 private:
  int lanes_;
  ir::Expr lane_;
  absl::flat_hash_map<const ir::BufferNode*, ir::Buffer> wide_;
};

// True when a branch or a loop bound inside names the variable.
bool ControlDependsOn(const ir::Stmt& s, const ir::Var& var) {
  bool depends = false;
  ir::VisitStmt(s, [&](const ir::Stmt& part) {
    if (part->kind == ir::StmtKind::kFor) {
      depends |= ir::UsesVar(part->min(), var) || ir::UsesVar(part->extent(), var);
    } else if (part->kind == ir::StmtKind::kIf) {
      depends |= ir::UsesVar(part->condition(), var);
    }
    return !depends;
  });
  return depends;
}

class Vectorizer : public ir::Mutator {
 public:
  explicit Vectorizer(int target_lanes) : target_lanes_(target_lanes) {}

  ir::Stmt MutateStmt(const ir::Stmt& s) override {
    if (s->kind != ir::StmtKind::kFor || s->for_kind != ir::ForKind::kVectorized) {
      return ir::Mutator::MutateStmt(s);
    }
    int64_t min = 0, extent = 0;
    const ir::Stmt body = MutateStmt(s->body());
    if (!ir::IsInt(s->min(), &min) || !ir::IsInt(s->extent(), &extent) ||
        ControlDependsOn(body, s->var)) {
      return ir::For(s->var, s->min(), s->extent(), ir::ForKind::kSerial, body);
    }
    int64_t lanes = s->lanes > 0 ? s->lanes : target_lanes_;
    std::vector<ir::Stmt> parts;
    for (int64_t at = min; at < min + extent; at += lanes) {
      while (lanes > min + extent - at) lanes = lanes > 1 ? (lanes + 1) / 2 : 1;
      parts.push_back(Chunk(s->var, body, at, static_cast<int>(lanes)));
    }
    return ir::Block(std::move(parts));
  }

 private:
  static ir::Stmt Chunk(const ir::Var& var, const ir::Stmt& body, int64_t at, int lanes) {
    if (lanes == 1) return ir::Substitute(body, {{var.get(), ir::IntImm(at)}});
    const ir::Expr ramp = ir::Ramp(ir::IntImm(at), ir::IntImm(1), lanes);
    LaneExpander expander(lanes, ir::Expr(var) - ir::Expr(at));
    return ir::Substitute(expander.MutateStmt(body), {{var.get(), ramp}});
  }

  int target_lanes_;
};

}  // namespace

ir::Stmt VectorizeLoops(const ir::Stmt& s, int target_lanes) {
  return Vectorizer(target_lanes).MutateStmt(s);
}

}  // namespace alt::lower
