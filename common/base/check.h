// ALT_CHECK: a broken invariant stops the process. Never for what a user or a peer can cause: that
// is an absl::Status. Works the same in every build.
//
//   ALT_CHECK(extent > 0) << "axis " << name;
//   ALT_CHECK_EQ(shape.size(), strides.size());
//
// On failure "file:line Check failed: extent > 0 axis h" goes to stderr and the process aborts.
#ifndef COMMON_BASE_CHECK_H_
#define COMMON_BASE_CHECK_H_

#include <memory>
#include <ostream>
#include <sstream>
#include <string>

#include "absl/status/status.h"

namespace alt::base {

// Gathers the message of one failed check; its destructor prints it and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const std::string& condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

// Gives `condition ? void : stream` one type; & binds more loosely than << and tighter than ?:.
struct CheckVoidify {
  void operator&(std::ostream&) const {}
};

template <typename T>
void PrintCheckOperand(std::ostream& out, const T& value) {
  if constexpr (requires { out << value; }) {
    out << value;
  } else {
    out << "(unprintable)";
  }
}

// "a == b (1 vs. 2)"
template <typename A, typename B>
std::string CheckOpMessage(const char* text, const A& a, const B& b) {
  std::ostringstream out;
  out << text << " (";
  PrintCheckOperand(out, a);
  out << " vs. ";
  PrintCheckOperand(out, b);
  out << ")";
  return out.str();
}

// Null when `op(a, b)` holds, else the message. Each operand is evaluated once.
template <typename A, typename B, typename Op>
std::unique_ptr<std::string> CheckOp(const A& a, const B& b, Op op, const char* text) {
  if (op(a, b)) return nullptr;
  return std::make_unique<std::string>(CheckOpMessage(text, a, b));
}

inline std::unique_ptr<std::string> CheckOk(const absl::Status& status, const char* text) {
  if (status.ok()) return nullptr;
  return std::make_unique<std::string>(std::string(text) + " is OK (" + status.ToString() + ")");
}
template <typename StatusOr>
std::unique_ptr<std::string> CheckOk(const StatusOr& value, const char* text) {
  return CheckOk(value.status(), text);
}

}  // namespace alt::base

#define ALT_CHECK(condition)                  \
  (condition) ? (void)0                       \
              : ::alt::base::CheckVoidify() & \
                    ::alt::base::CheckFailure(__FILE__, __LINE__, #condition).stream()

// The loop runs at most once: CheckFailure does not return. `while` and not `if`, so that an `else`
// after the macro belongs to the caller's `if`.
#define ALT_CHECK_FAIL_IF(message)                                   \
  while (std::unique_ptr<std::string> alt_check_message = (message)) \
  ::alt::base::CheckFailure(__FILE__, __LINE__, *alt_check_message).stream()

#define ALT_CHECK_OP(a, op, b)            \
  ALT_CHECK_FAIL_IF(::alt::base::CheckOp( \
      (a), (b), [](const auto& x, const auto& y) { return x op y; }, #a " " #op " " #b))

#define ALT_CHECK_EQ(a, b) ALT_CHECK_OP(a, ==, b)
#define ALT_CHECK_NE(a, b) ALT_CHECK_OP(a, !=, b)
#define ALT_CHECK_LT(a, b) ALT_CHECK_OP(a, <, b)
#define ALT_CHECK_LE(a, b) ALT_CHECK_OP(a, <=, b)
#define ALT_CHECK_GT(a, b) ALT_CHECK_OP(a, >, b)
#define ALT_CHECK_GE(a, b) ALT_CHECK_OP(a, >=, b)
// For an absl::Status or absl::StatusOr that cannot fail here.
#define ALT_CHECK_OK(expr) ALT_CHECK_FAIL_IF(::alt::base::CheckOk((expr), #expr))

#endif  // COMMON_BASE_CHECK_H_
