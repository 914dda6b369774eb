// A function is compiled to a tree in which variables and buffers are numbers of slots, then run.
// Vectors are evaluated lane by lane, so that nothing is allocated while running.
#include "common/ir/interpreter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/base/math.h"
#include "common/ir/printer.h"

namespace alt::ir {
namespace {

struct Code {
  ExprKind kind;
  DType dtype;
  bool of_floats = false;  // the operands
  int slot = -1;           // kVar: of the variable; kLoad, kTranspose: of the buffer
  int64_t int_value = 0;
  double float_value = 0;
  std::vector<Code> args;
};

struct Command {
  const Stmt* stmt;
  int slot = -1;  // kFor: of the variable; otherwise of the buffer
  std::vector<Code> exprs;
  std::vector<Command> body;
};

struct BufferSlot {
  const BufferNode* node = nullptr;
  const double* data = nullptr;  // null while not allocated
  double* writable = nullptr;
  std::vector<double> own;    // of an allocation
  std::vector<char> written;  // of an allocation, a flag for each number; empty for the others
};

// Gives slots to what a function names.
class Compiler {
 public:
  int Define(const VarNode* var) {
    variables_[var] = num_variables;
    return num_variables++;
  }

  Code Compile(const Expr& e) {
    Code code{e->kind, e->dtype};
    code.int_value = e->int_value;
    code.float_value = e->float_value;
    if (e->kind == ExprKind::kVar) {
      auto it = variables_.find(e->var.get());
      if (it != variables_.end()) {
        code.slot = it->second;
      } else if (undefined_.empty()) {
        undefined_ = e->var->name;
      }
    }
    if (IsRead(e)) code.slot = SlotOf(e->buffer.get());
    if (!e->args.empty()) code.of_floats = e->args[0]->dtype.is_float();
    code.args.reserve(e->args.size());
    for (const Expr& arg : e->args) code.args.push_back(Compile(arg));
    return code;
  }

  Command Compile(const Stmt& s) {
    Command command{&s};
    for (const Expr& e : s->exprs) command.exprs.push_back(Compile(e));
    if (!undefined_.empty() && status.ok()) {
      status =
          absl::InternalError(absl::StrCat("undefined variable ", undefined_, " in ", Print(s)));
    }
    if (s->buffer != nullptr) command.slot = SlotOf(s->buffer.get());
    if (s->kind == StmtKind::kFor) command.slot = Define(s->var.get());
    for (const Stmt& child : s->stmts) command.body.push_back(Compile(child));
    if (s->kind == StmtKind::kFor) variables_.erase(s->var.get());
    return command;
  }

  int SlotOf(const BufferNode* buffer) {
    auto [it, inserted] = slots_.try_emplace(buffer, static_cast<int>(buffers.size()));
    if (inserted) {
      buffers.emplace_back();
      buffers.back().node = buffer;
      if (buffer->scope == Scope::kTable) buffers.back().data = buffer->table.data();
    }
    return it->second;
  }

  int num_variables = 0;
  std::vector<BufferSlot> buffers;
  absl::Status status;

 private:
  absl::flat_hash_map<const VarNode*, int> variables_;
  absl::flat_hash_map<const BufferNode*, int> slots_;
  std::string undefined_;
};

class Machine {
 public:
  Machine(int num_variables, std::vector<BufferSlot> buffers)
      : variables_(num_variables), buffers_(std::move(buffers)) {}

  void SetVariable(int slot, int64_t value) { variables_[slot] = value; }
  const absl::Status& status() const { return status_; }

  void Run(const Command& command);
  int64_t Int(const Code& code, int lane);
  double Float(const Code& code, int lane);

 private:
  void RunFor(const Command& command);
  void RunStore(const Command& command);
  void RunAllocate(const Command& command);
  // The number at indices[first...] in `lane`; -1 and a failed status when out of bounds.
  int64_t Locate(const BufferSlot& buffer, const std::vector<Code>& indices, size_t first,
                 int lane);
  double Load(const Code& code, int lane);
  double Transpose(const Code& code, int lane);
  double Read(const BufferSlot& buffer, int64_t cell);
  bool Compare(const Code& code, int lane);
  void Fail(absl::string_view what);

  std::vector<int64_t> variables_;
  std::vector<BufferSlot> buffers_;
  const Command* current_ = nullptr;
  absl::Status status_;
};

void Machine::Fail(absl::string_view what) {
  if (!status_.ok()) return;
  status_ = absl::InternalError(
      current_ == nullptr ? std::string(what) : absl::StrCat(what, " in ", Print(*current_->stmt)));
}

void Machine::Run(const Command& command) {
  current_ = &command;
  switch ((*command.stmt)->kind) {
    case StmtKind::kFor:
      return RunFor(command);
    case StmtKind::kStore:
      return RunStore(command);
    case StmtKind::kAllocate:
      return RunAllocate(command);
    case StmtKind::kBlock:
      for (const Command& child : command.body) {
        Run(child);
        if (!status_.ok()) return;
      }
      return;
    case StmtKind::kIf:
      if (Int(command.exprs[0], 0)) return Run(command.body[0]);
      if (command.body.size() > 1) Run(command.body[1]);
      return;
    case StmtKind::kPrefetch:
    case StmtKind::kNop:
      return;
  }
}

void Machine::RunFor(const Command& command) {
  const int64_t begin = Int(command.exprs[0], 0);
  const int64_t end = begin + Int(command.exprs[1], 0);
  for (int64_t i = begin; i < end && status_.ok(); ++i) {
    variables_[command.slot] = i;
    Run(command.body[0]);
  }
}

void Machine::RunStore(const Command& command) {
  BufferSlot& buffer = buffers_[command.slot];
  const Code& value = command.exprs[0];
  // All lanes are read before one is written.
  double values[64];
  const int lanes = value.dtype.lanes;
  ALT_CHECK_LE(lanes, 64);
  for (int lane = 0; lane < lanes; ++lane) {
    values[lane] =
        value.dtype.is_float() ? Float(value, lane) : static_cast<double>(Int(value, lane));
    if (buffer.node->dtype.scalar == ScalarType::kF32) {
      values[lane] = static_cast<float>(values[lane]);
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    const int64_t cell = Locate(buffer, command.exprs, 1, lane);
    if (!status_.ok()) return;
    buffer.writable[cell] = values[lane];
    if (!buffer.written.empty()) buffer.written[cell] = 1;
  }
}

void Machine::RunAllocate(const Command& command) {
  BufferSlot& buffer = buffers_[command.slot];
  const size_t count = NumElements(*buffer.node) * buffer.node->dtype.lanes;
  buffer.own.assign(count, 0);
  buffer.written.assign(count, 0);
  buffer.data = buffer.writable = buffer.own.data();
  Run(command.body[0]);
  buffer.data = buffer.writable = nullptr;
}

int64_t Machine::Locate(const BufferSlot& buffer, const std::vector<Code>& indices, size_t first,
                        int lane) {
  const BufferNode& node = *buffer.node;
  if (buffer.data == nullptr) {
    Fail(absl::StrCat("access to ", node.name, ", which is not allocated,"));
    return -1;
  }
  const int element_lanes = node.dtype.lanes;
  const int index_lane = element_lanes > 1 ? 0 : lane;
  int64_t cell = 0;
  for (size_t d = 0; d < node.shape.size(); ++d) {
    const Code& code = indices[first + d];
    const int64_t index = Int(code, code.dtype.lanes > 1 ? index_lane : 0);
    if (index < 0 || index >= node.shape[d]) {
      Fail(absl::StrCat("index ", d, " of ", node.name, " is ", index, ", extent ", node.shape[d],
                        ","));
      return -1;
    }
    cell = cell * node.shape[d] + index;
  }
  return element_lanes > 1 ? cell * element_lanes + lane : cell;
}

double Machine::Load(const Code& code, int lane) {
  const BufferSlot& buffer = buffers_[code.slot];
  const int64_t cell = Locate(buffer, code.args, 0, lane);
  return cell < 0 ? 0 : Read(buffer, cell);
}

double Machine::Transpose(const Code& code, int lane) {
  const BufferSlot& buffer = buffers_[code.slot];
  if (buffer.data != nullptr) return Read(buffer, lane * code.dtype.lanes + code.int_value);
  Fail(absl::StrCat("access to ", buffer.node->name, ", which is not allocated,"));
  return 0;
}

double Machine::Read(const BufferSlot& buffer, int64_t cell) {
  if (!buffer.written.empty() && !buffer.written[cell]) {
    Fail(absl::StrCat("read of cell ", cell, " of ", buffer.node->name, ", never written,"));
  }
  return buffer.data[cell];
}

bool Machine::Compare(const Code& code, int lane) {
  if (code.of_floats) {
    const double a = Float(code.args[0], lane);
    const double b = Float(code.args[1], lane);
    if (code.kind == ExprKind::kEq) return a == b;
    return code.kind == ExprKind::kLt ? a < b : a <= b;
  }
  const int64_t a = Int(code.args[0], lane);
  const int64_t b = Int(code.args[1], lane);
  if (code.kind == ExprKind::kEq) return a == b;
  return code.kind == ExprKind::kLt ? a < b : a <= b;
}

int64_t Machine::Int(const Code& code, int lane) {
  const std::vector<Code>& args = code.args;
  switch (code.kind) {
    case ExprKind::kIntImm:
      return code.int_value;
    case ExprKind::kVar:
      return variables_[code.slot];
    case ExprKind::kAdd:
      return Int(args[0], lane) + Int(args[1], lane);
    case ExprKind::kSub:
      return Int(args[0], lane) - Int(args[1], lane);
    case ExprKind::kMul:
      return Int(args[0], lane) * Int(args[1], lane);
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod: {
      const int64_t a = Int(args[0], lane);
      const int64_t b = Int(args[1], lane);
      if (b <= 0) {
        Fail(absl::StrCat("division by ", b));
        return 0;
      }
      return code.kind == ExprKind::kFloorDiv ? base::FloorDiv(a, b) : base::FloorMod(a, b);
    }
    case ExprKind::kMin:
      return std::min(Int(args[0], lane), Int(args[1], lane));
    case ExprKind::kMax:
      return std::max(Int(args[0], lane), Int(args[1], lane));
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kEq:
      return Compare(code, lane);
    case ExprKind::kAnd:
      return Int(args[0], lane) & Int(args[1], lane);
    case ExprKind::kOr:
      return Int(args[0], lane) | Int(args[1], lane);
    case ExprKind::kNot:
      return !Int(args[0], lane);
    case ExprKind::kSelect:
      return Int(Int(args[0], args[0].dtype.lanes > 1 ? lane : 0) ? args[1] : args[2], lane);
    case ExprKind::kLoad:
      return static_cast<int64_t>(Load(code, lane));
    case ExprKind::kTranspose:
      return static_cast<int64_t>(Transpose(code, lane));
    case ExprKind::kRamp:
      return Int(args[0], 0) + Int(args[1], 0) * lane;
    case ExprKind::kBroadcast:
      return Int(args[0], 0);
    case ExprKind::kFloatImm:
    case ExprKind::kDiv:
    case ExprKind::kCast:
      break;
  }
  ALT_CHECK(false) << "no index expression: kind " << static_cast<int>(code.kind);
  return 0;
}

double Machine::Float(const Code& code, int lane) {
  const std::vector<Code>& args = code.args;
  switch (code.kind) {
    case ExprKind::kFloatImm:
      return code.float_value;
    case ExprKind::kAdd:
      return Float(args[0], lane) + Float(args[1], lane);
    case ExprKind::kSub:
      return Float(args[0], lane) - Float(args[1], lane);
    case ExprKind::kMul:
      return Float(args[0], lane) * Float(args[1], lane);
    case ExprKind::kDiv:
      return Float(args[0], lane) / Float(args[1], lane);
    case ExprKind::kMin:
      return std::min(Float(args[0], lane), Float(args[1], lane));
    case ExprKind::kMax:
      return std::max(Float(args[0], lane), Float(args[1], lane));
    case ExprKind::kSelect:
      return Float(Int(args[0], args[0].dtype.lanes > 1 ? lane : 0) ? args[1] : args[2], lane);
    case ExprKind::kLoad:
      return Load(code, lane);
    case ExprKind::kTranspose:
      return Transpose(code, lane);
    case ExprKind::kBroadcast:
      return Float(args[0], 0);
    case ExprKind::kCast: {
      const double value =
          args[0].dtype.is_float() ? Float(args[0], lane) : static_cast<double>(Int(args[0], lane));
      return code.dtype.scalar == ScalarType::kF32 ? static_cast<float>(value) : value;
    }
    default:
      break;
  }
  ALT_CHECK(false) << "no float expression: kind " << static_cast<int>(code.kind);
  return 0;
}

}  // namespace

absl::Status Interpret(const Function& f, Memory& memory) {
  Compiler compiler;
  for (const Buffer& param : f.params) {
    const auto it = memory.find(param.get());
    const size_t count = NumElements(*param) * param->dtype.lanes;
    if (it == memory.end() || it->second.size() != count) {
      return absl::InvalidArgumentError(
          absl::StrCat(f.name, ": memory of ", param->name, " must hold ", count, " numbers"));
    }
    BufferSlot& slot = compiler.buffers[compiler.SlotOf(param.get())];
    slot.data = slot.writable = it->second.data();
  }
  const Command body = compiler.Compile(f.body);
  if (!compiler.status.ok()) return compiler.status;
  Machine machine(compiler.num_variables, std::move(compiler.buffers));
  machine.Run(body);
  return machine.status();
}

int64_t EvaluateIndex(const Expr& e, const absl::flat_hash_map<const VarNode*, int64_t>& values) {
  Compiler compiler;
  std::vector<int64_t> in_slots;
  for (const auto& [var, value] : values) {
    compiler.Define(var);
    in_slots.push_back(value);
  }
  const Code code = compiler.Compile(e);
  Machine machine(compiler.num_variables, std::move(compiler.buffers));
  for (size_t i = 0; i < in_slots.size(); ++i)
    machine.SetVariable(static_cast<int>(i), in_slots[i]);
  const int64_t result = machine.Int(code, 0);
  ALT_CHECK(machine.status().ok()) << machine.status().message();
  return result;
}

}  // namespace alt::ir
