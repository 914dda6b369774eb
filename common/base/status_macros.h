// Early return on a failed absl::Status or absl::StatusOr. The names and meaning are those of later
// abseil (absl/status/status_macros.h) behind our prefix, to be deleted once Debian's abseil has
// it.
//
//   ALT_RETURN_IF_ERROR(store->Put(record));
//   ALT_ASSIGN_OR_RETURN(Layout layout, ParseLayout(text));
//   ALT_ASSIGN_OR_RETURN((auto [a, b]), ParsePair(text));   // commas need parentheses
//
// A third argument of ALT_ASSIGN_OR_RETURN is what to return instead; it sees the failed status as
// `_`: ALT_ASSIGN_OR_RETURN(auto x, F(), Annotate(_, "while loading")).
#ifndef COMMON_BASE_STATUS_MACROS_H_
#define COMMON_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace alt::base {

// The same code with `context` in front of the message: "context: message". Ok stays ok.
inline absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

}  // namespace alt::base

#define ALT_RETURN_IF_ERROR(expr)                             \
  do {                                                        \
    if (absl::Status alt_status = (expr); !alt_status.ok()) { \
      return alt_status;                                      \
    }                                                         \
  } while (false)

#define ALT_STATUS_CONCAT_INNER(a, b) a##b
#define ALT_STATUS_CONCAT(a, b) ALT_STATUS_CONCAT_INNER(a, b)
#define ALT_STATUS_SELECT(a1, a2, a3, name, ...) name
// Strips one pair of parentheses: (x, y) -> x, y and x -> x. Without parentheses the marker is not
// called and stays; with them it returns itself; the paste then makes it vanish in either case.
#define ALT_STATUS_STRIP(x) ALT_STATUS_STRIP_1(ALT_STATUS_MARK x)
#define ALT_STATUS_STRIP_1(...) ALT_STATUS_STRIP_2(__VA_ARGS__)
#define ALT_STATUS_STRIP_2(...) ALT_STATUS_NO_##__VA_ARGS__
#define ALT_STATUS_MARK(...) ALT_STATUS_MARK __VA_ARGS__
#define ALT_STATUS_NO_ALT_STATUS_MARK

#define ALT_ASSIGN_OR_RETURN_3(var, lhs, rexpr, error)     \
  auto var = (rexpr);                                      \
  if (!var.ok()) {                                         \
    [[maybe_unused]] const absl::Status& _ = var.status(); \
    return error;                                          \
  }                                                        \
  ALT_STATUS_STRIP(lhs) = *std::move(var)

#define ALT_ASSIGN_OR_RETURN_2_ARGS(lhs, rexpr) \
  ALT_ASSIGN_OR_RETURN_3(ALT_STATUS_CONCAT(alt_status_or_, __LINE__), lhs, rexpr, _)
#define ALT_ASSIGN_OR_RETURN_3_ARGS(lhs, rexpr, error) \
  ALT_ASSIGN_OR_RETURN_3(ALT_STATUS_CONCAT(alt_status_or_, __LINE__), lhs, rexpr, error)
#define ALT_ASSIGN_OR_RETURN(...)                                                          \
  ALT_STATUS_SELECT(__VA_ARGS__, ALT_ASSIGN_OR_RETURN_3_ARGS, ALT_ASSIGN_OR_RETURN_2_ARGS, \
                    ALT_ASSIGN_OR_RETURN_1_ARG)                                            \
  (__VA_ARGS__)

#endif  // COMMON_BASE_STATUS_MACROS_H_
