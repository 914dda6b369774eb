#include "common/codegen/llvm/check_module.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/captures.h"
#include "common/ir/visitor.h"

namespace alt::codegen {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

bool IsIdentifier(absl::string_view name) {
  if (name.empty() || absl::ascii_isdigit(name[0])) return false;
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return true;
}

bool IsConstantIndex(const Expr& e) {
  int64_t value;
  if (ir::IsInt(e, &value)) return true;
  return e->kind == ExprKind::kRamp && ir::IsInt(e->args[0], &value) &&
         ir::IsInt(e->args[1], &value);
}

template <typename Indices>
absl::Status CheckRegisterIndices(const ir::BufferNode& buffer, const Indices& indices) {
  if (buffer.scope != ir::Scope::kRegister) return absl::OkStatus();
  for (const Expr& index : indices) {
    if (!IsConstantIndex(index)) {
      return absl::InvalidArgumentError(
          absl::StrCat("register ", buffer.name, " has an index that is not constant"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckExprs(const Stmt& body) {
  absl::Status status;
  absl::flat_hash_set<const ir::ExprNode*> seen;
  ir::VisitExprs(body, [&](const Expr& e) {
    if (!status.ok() || !seen.insert(e.get()).second) return false;
    if (e->dtype.lanes > kMaxLanes) {
      status = absl::InvalidArgumentError(
          absl::StrCat("vector of ", e->dtype.lanes, " lanes, the most are ", kMaxLanes));
    }
    if (e->kind == ExprKind::kLoad) status.Update(CheckRegisterIndices(*e->buffer, e->args));
    return true;
  });
  return status;
}

absl::Status CheckParallel(const Stmt& loop) {
  for (const ir::Buffer& buffer : FindCaptures(loop).buffers) {
    if (buffer->scope == ir::Scope::kRegister) {
      return absl::InvalidArgumentError(absl::StrCat("register ", buffer->name,
                                                     " is shared by the iterations of the "
                                                     "parallel loop ",
                                                     loop->var->name));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStmt(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::kFor:
      if (s->for_kind == ir::ForKind::kParallel) return CheckParallel(s);
      if (s->for_kind == ir::ForKind::kSerial) return absl::OkStatus();
      return absl::InvalidArgumentError(
          absl::StrCat("loop ", s->var->name, " is still ",
                       s->for_kind == ir::ForKind::kVectorized ? "vectorized"
                       : s->for_kind == ir::ForKind::kUnrolled ? "unrolled"
                                                               : "transposed"));
    case StmtKind::kStore:
      return CheckRegisterIndices(*s->buffer, ir::IndicesOf(*s));
    case StmtKind::kPrefetch:
      if (s->buffer->scope == ir::Scope::kParam || s->buffer->scope == ir::Scope::kLocal) {
        return absl::OkStatus();
      }
      return absl::InvalidArgumentError(absl::StrCat("prefetch of ", s->buffer->name));
    default:
      return absl::OkStatus();
  }
}

absl::Status CheckFunction(const ir::Function& f) {
  if (!f.body.defined()) return absl::InvalidArgumentError("no body");
  for (const ir::Buffer& param : f.params) {
    if (param->scope != ir::Scope::kParam) {
      return absl::InvalidArgumentError(absl::StrCat(param->name, " is no parameter"));
    }
  }
  absl::Status status;
  ir::VisitStmt(f.body, [&](const Stmt& s) {
    if (status.ok()) status = CheckStmt(s);
    return status.ok();
  });
  ALT_RETURN_IF_ERROR(status);
  return CheckExprs(f.body);
}

}  // namespace

absl::Status CheckModule(const ir::Module& module) {
  if (module.functions.empty()) {
    return absl::InvalidArgumentError("compile a module: it has no function");
  }
  absl::flat_hash_set<std::string> names;
  for (const ir::Function& f : module.functions) {
    if (!IsIdentifier(f.name) || !names.insert(f.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("compile a module: \"", f.name, "\" is no name, or there are two of it"));
    }
    ALT_RETURN_IF_ERROR(base::Annotate(CheckFunction(f), absl::StrCat("compile ", f.name)));
  }
  return absl::OkStatus();
}

}  // namespace alt::codegen
