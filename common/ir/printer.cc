#include "common/ir/printer.h"

#include <charconv>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/interval.h"
#include "common/ir/visitor.h"

namespace alt::ir {
namespace {

// How tightly an operator binds; an operand that binds less gets parentheses.
enum Precedence { kOrLevel = 1, kAndLevel, kEqLevel, kLtLevel, kSumLevel, kProductLevel, kUnary };

struct Infix {
  const char* text;
  Precedence level;
};

// text is null for what is written as a call.
Infix InfixOf(ExprKind kind) {
  switch (kind) {
    case ExprKind::kOr:
      return {" || ", kOrLevel};
    case ExprKind::kAnd:
      return {" && ", kAndLevel};
    case ExprKind::kEq:
      return {" == ", kEqLevel};
    case ExprKind::kLt:
      return {" < ", kLtLevel};
    case ExprKind::kLe:
      return {" <= ", kLtLevel};
    case ExprKind::kAdd:
      return {" + ", kSumLevel};
    case ExprKind::kSub:
      return {" - ", kSumLevel};
    case ExprKind::kMul:
      return {"*", kProductLevel};
    case ExprKind::kDiv:
      return {"/", kProductLevel};
    default:
      return {nullptr, kUnary};
  }
}

const char* CallName(ExprKind kind) {
  switch (kind) {
    case ExprKind::kFloorDiv:
      return "floordiv";
    case ExprKind::kFloorMod:
      return "floormod";
    case ExprKind::kMin:
      return "min";
    case ExprKind::kMax:
      return "max";
    case ExprKind::kSelect:
      return "select";
    case ExprKind::kRamp:
      return "ramp";
    case ExprKind::kBroadcast:
      return "broadcast";
    default:
      return nullptr;
  }
}

// The shortest text that reads back as the same number, always with a mark of a float.
std::string FloatText(double value, ScalarType type) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[40];
  char* const end = buffer + sizeof(buffer);
  const std::to_chars_result result = type == ScalarType::kF32
                                          ? std::to_chars(buffer, end, static_cast<float>(value))
                                          : std::to_chars(buffer, end, value);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

const char* ScopeText(Scope scope) {
  switch (scope) {
    case Scope::kParam:
      return "";
    case Scope::kLocal:
      return " local";
    case Scope::kRegister:
      return " register";
    case Scope::kTable:
      return " table";
  }
  return "";
}

const char* ForKindText(ForKind kind) {
  switch (kind) {
    case ForKind::kSerial:
      return "";
    case ForKind::kParallel:
      return " parallel";
    case ForKind::kVectorized:
      return " vectorized";
    case ForKind::kUnrolled:
      return " unrolled";
    case ForKind::kTransposed:
      return " transposed";
  }
  return "";
}

class Printer {
 public:
  std::string TakeText() { return std::move(text_); }

  void PrintModule(const Module& m) {
    for (size_t i = 0; i < m.functions.size(); ++i) {
      if (i > 0) text_ += "\n";
      PrintFunction(m.functions[i]);
    }
  }

  void PrintFunction(const Function& f) {
    absl::StrAppend(&text_, f.name, "(");
    for (size_t i = 0; i < f.params.size(); ++i) {
      if (i > 0) text_ += ", ";
      absl::StrAppend(&text_, NameOf(f.params[i].get(), f.params[i]->name), ": ");
      PrintType(*f.params[i]);
    }
    text_ += ") {\n";
    indent_ = 1;
    if (f.body.defined()) {
      PrintTables(f.body);
      PrintStmt(f.body);
    }
    indent_ = 0;
    text_ += "}\n";
  }

  void PrintStmt(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::kFor:
        PrintFor(s);
        break;
      case StmtKind::kStore:
        Indent();
        PrintAccess(*s->buffer, s->exprs.data() + 1, s->exprs.size() - 1);
        text_ += " = ";
        PrintExpr(s->value());
        text_ += "\n";
        break;
      case StmtKind::kAllocate:
        Indent();
        absl::StrAppend(&text_, "allocate ", NameOf(s->buffer.get(), s->buffer->name), ": ");
        PrintType(*s->buffer);
        absl::StrAppend(&text_, ScopeText(s->buffer->scope));
        PrintBody(s->body());
        text_ += "\n";
        break;
      case StmtKind::kBlock:
        for (const Stmt& child : s->stmts) PrintStmt(child);
        break;
      case StmtKind::kIf:
        Indent();
        text_ += "if ";
        PrintExpr(s->condition());
        PrintBody(s->stmts[0]);
        if (s->stmts.size() > 1) {
          text_ += " else";
          PrintBody(s->stmts[1]);
        }
        text_ += "\n";
        break;
      case StmtKind::kPrefetch:
        Indent();
        text_ += "prefetch ";
        PrintAccess(*s->buffer, s->exprs.data(), s->exprs.size());
        text_ += "\n";
        break;
      case StmtKind::kNop:
        Indent();
        text_ += "nop\n";
        break;
    }
  }

  void PrintExpr(const Expr& e, int level = 0) {
    if (!e.defined()) {
      text_ += "(undefined)";
      return;
    }
    if (const Infix infix = InfixOf(e->kind); infix.text != nullptr) {
      const bool parentheses = infix.level < level;
      if (parentheses) text_ += "(";
      // Comparisons do not chain; the rest groups to the left.
      const bool chains = infix.level != kEqLevel && infix.level != kLtLevel;
      PrintExpr(e->args[0], chains ? infix.level : infix.level + 1);
      text_ += infix.text;
      PrintExpr(e->args[1], infix.level + 1);
      if (parentheses) text_ += ")";
      return;
    }
    PrintPrimary(e);
  }

 private:
  void PrintPrimary(const Expr& e) {
    switch (e->kind) {
      case ExprKind::kIntImm:
        if (e->dtype.scalar == ScalarType::kBool) {
          text_ += e->int_value ? "true" : "false";
        } else {
          absl::StrAppend(&text_, e->int_value);
        }
        return;
      case ExprKind::kFloatImm:
        text_ += FloatText(e->float_value, e->dtype.scalar);
        return;
      case ExprKind::kVar:
        text_ += NameOf(e->var.get(), e->var->name);
        return;
      case ExprKind::kNot:
        text_ += "!";
        PrintExpr(e->args[0], kUnary);
        return;
      case ExprKind::kLoad:
        PrintAccess(*e->buffer, e->args.data(), e->args.size());
        return;
      case ExprKind::kTranspose:
        absl::StrAppend(&text_, "transpose(", NameOf(e->buffer.get(), e->buffer->name), ")[",
                        e->int_value, "]");
        return;
      case ExprKind::kCast:
        absl::StrAppend(&text_, "cast<", ToString(e->dtype.WithLanes(1)), ">(");
        PrintExpr(e->args[0]);
        text_ += ")";
        return;
      default:
        break;
    }
    absl::StrAppend(&text_, CallName(e->kind), "(");
    PrintList(e->args.data(), e->args.size());
    if (e->kind == ExprKind::kRamp || e->kind == ExprKind::kBroadcast) {
      absl::StrAppend(&text_, ", ", e->dtype.lanes);
    }
    text_ += ")";
  }

  void PrintFor(const Stmt& s) {
    Indent();
    absl::StrAppend(&text_, "for ", NameOf(s->var.get(), s->var->name), " in [");
    PrintExpr(s->min());
    text_ += ", ";
    // The end, not the extent: what both have in common cancels.
    PrintExpr(IsIntValue(s->min(), 0) ? s->extent() : FromLinear(ToLinear(s->min() + s->extent())));
    absl::StrAppend(&text_, ")", ForKindText(s->for_kind));
    if (s->lanes > 0) absl::StrAppend(&text_, "(", s->lanes, ")");
    PrintBody(s->body());
    text_ += "\n";
  }

  void PrintBody(const Stmt& s) {
    text_ += " {\n";
    ++indent_;
    PrintStmt(s);
    --indent_;
    Indent();
    text_ += "}";
  }

  void PrintAccess(const BufferNode& buffer, const Expr* indices, size_t count) {
    absl::StrAppend(&text_, NameOf(&buffer, buffer.name), "[");
    PrintList(indices, count);
    text_ += "]";
  }

  void PrintList(const Expr* exprs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) text_ += ", ";
      PrintExpr(exprs[i]);
    }
  }

  void PrintType(const BufferNode& buffer) {
    absl::StrAppend(&text_, ToString(buffer.dtype), "[");
    for (size_t d = 0; d < buffer.shape.size(); ++d) {
      absl::StrAppend(&text_, d > 0 ? ", " : "", buffer.shape[d]);
    }
    text_ += "]";
  }

  // The tables that a function uses, with their numbers, in order of first use.
  void PrintTables(const Stmt& body) {
    absl::flat_hash_set<const BufferNode*> seen;
    VisitExprs(body, [&](const Expr& e) {
      if (e->kind != ExprKind::kLoad || e->buffer->scope != Scope::kTable) return true;
      if (!seen.insert(e->buffer.get()).second) return true;
      Indent();
      absl::StrAppend(&text_, "table ", NameOf(e->buffer.get(), e->buffer->name), ": ");
      PrintType(*e->buffer);
      text_ += " = {";
      for (size_t i = 0; i < e->buffer->table.size(); ++i) {
        absl::StrAppend(&text_, i > 0 ? ", " : "",
                        FloatText(e->buffer->table[i], e->buffer->dtype.scalar));
      }
      text_ += "}\n";
      return true;
    });
  }

  void Indent() { text_.append(2 * indent_, ' '); }

  // The name of a variable or buffer: its own, or with _1, _2, ... when another one has it already.
  const std::string& NameOf(const void* entity, const std::string& name) {
    auto [it, inserted] = names_.try_emplace(entity);
    if (inserted) {
      std::string candidate = name;
      for (int i = 1; !used_.insert(candidate).second; ++i) candidate = absl::StrCat(name, "_", i);
      it->second = std::move(candidate);
    }
    return it->second;
  }

  std::string text_;
  int indent_ = 0;
  absl::flat_hash_map<const void*, std::string> names_;
  absl::flat_hash_set<std::string> used_;
};

}  // namespace

std::string Print(const Expr& e) {
  Printer printer;
  printer.PrintExpr(e);
  return printer.TakeText();
}

std::string Print(const Stmt& s) {
  Printer printer;
  printer.PrintStmt(s);
  return printer.TakeText();
}

std::string Print(const Function& f) {
  Printer printer;
  printer.PrintFunction(f);
  return printer.TakeText();
}

std::string Print(const Module& m) {
  Printer printer;
  printer.PrintModule(m);
  return printer.TakeText();
}

}  // namespace alt::ir
