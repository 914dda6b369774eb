#include "server/search/space/role.h"

#include <algorithm>
#include <optional>

#include "common/ir/interval.h"
#include "common/ir/visitor.h"

namespace alt::search {
namespace {

// Loads of tensors (no tables) in a body, each place of it.
std::vector<ir::Expr> LoadsOf(const ir::Expr& body) {
  std::vector<ir::Expr> loads;
  ir::VisitExpr(body, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kLoad) return true;
    if (e->buffer->scope != ir::Scope::kTable) loads.push_back(e);
    return false;
  });
  return loads;
}

bool ReadsTable(const ir::Expr& body) {
  bool reads = false;
  ir::VisitExpr(body, [&](const ir::Expr& e) {
    reads = reads || (e->kind == ir::ExprKind::kLoad && e->buffer->scope == ir::Scope::kTable);
    return !reads;
  });
  return reads;
}

// How one index depends on a variable; nullopt: not as a multiple of it or of a floordiv of it.
std::optional<AxisUse> UseIn(const ir::Expr& index, const ir::Var& var) {
  AxisUse use;
  for (const ir::Linear::Term& term : ir::ToLinear(index).terms) {
    if (!ir::UsesVar(term.atom, var)) continue;
    if (use.step != 0) return std::nullopt;
    use.step = term.coefficient;
    const ir::ExprNode& atom = *term.atom;
    if (atom.kind == ir::ExprKind::kVar) continue;
    const bool is_digit = atom.kind == ir::ExprKind::kFloorDiv &&
                          atom.args[0]->kind == ir::ExprKind::kVar &&
                          ir::IsInt(atom.args[1], &use.divisor);
    if (!is_digit) return std::nullopt;
  }
  return use;
}

AxisUse UseOf(const ir::Expr& load, const ir::Var& var) {
  AxisUse use;
  for (size_t d = 0; d < load->args.size(); ++d) {
    if (!ir::UsesVar(load->args[d], var)) continue;
    const std::optional<AxisUse> here = UseIn(load->args[d], var);
    const bool regular = here.has_value() && !use.used();
    if (here) use = *here;
    use.dim = static_cast<int>(d);
    use.regular = regular;
  }
  return use;
}

AxisPart SpatialPart(const AxisRole& axis) {
  if (!axis.filter.used()) return AxisPart::kRow;
  const bool alike = axis.data.used() && axis.data.divisor == 1;
  return alike ? AxisPart::kBatch : AxisPart::kColumn;
}

}  // namespace

StageRoles RolesOf(const te::Graph& graph, const te::Stage& stage) {
  StageRoles roles;
  const std::vector<ir::Expr> loads = LoadsOf(stage.body);
  const bool reduces = !stage.reduction.empty();
  const bool product = stage.body->kind == ir::ExprKind::kMul && loads.size() == 2;
  if (reduces) {
    roles.role = product                  ? StageRole::kContraction
                 : ReadsTable(stage.body) ? StageRole::kTransform
                                          : StageRole::kReduction;
  }
  std::optional<ir::Expr> data, filter;
  if (!loads.empty()) data = loads[0];
  if (roles.role == StageRole::kContraction) {
    filter = loads[1];
    const te::Tensor* first = graph.FindTensor(loads[0]->buffer);
    const te::Tensor* second = graph.FindTensor(loads[1]->buffer);
    if (first->role == te::Role::kConstant && second->role != te::Role::kConstant) {
      std::swap(data, filter);
    }
  }
  if (data) roles.data.tensor = (*data)->buffer;
  if (filter) roles.filter.tensor = (*filter)->buffer;

  const auto role_of = [&](const te::Axis& axis) {
    AxisRole role{axis.name(), axis.extent};
    if (data) role.data = UseOf(*data, axis.var);
    if (filter) role.filter = UseOf(*filter, axis.var);
    return role;
  };
  for (const te::Axis& axis : stage.spatial) {
    roles.spatial.push_back(role_of(axis));
    roles.spatial.back().part = SpatialPart(roles.spatial.back());
  }
  for (const te::Axis& axis : stage.reduction) {
    AxisRole role = role_of(axis);
    role.part = AxisPart::kDepth;
    for (AxisRole& spatial : roles.spatial) {
      // Channels of a group share a dimension with the groups: they do not slide.
      const bool along =
          role.data.used() && spatial.data.dim == role.data.dim && spatial.part == AxisPart::kRow;
      if (!along) continue;
      role.part = AxisPart::kWindow;
      spatial.slides = true;
    }
    roles.reduction.push_back(role);
  }
  return roles;
}

}  // namespace alt::search
