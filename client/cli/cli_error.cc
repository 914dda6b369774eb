#include "client/cli/cli_error.h"

#include <optional>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/plain_text.h"

namespace alt::cli {
namespace {

constexpr char kExitPayload[] = "alt/exit";
constexpr char kWhyPayload[] = "alt/why";
constexpr char kFixPayload[] = "alt/fix";
constexpr size_t kMostBytes = 8 << 10;

std::string Payload(const absl::Status& status, absl::string_view key) {
  const auto payload = status.GetPayload(key);
  return payload ? std::string(*payload) : "";
}

absl::StatusCode CodeFor(ExitCode code) {
  switch (code) {
    case ExitCode::kDone:
    case ExitCode::kFailed:
      return absl::StatusCode::kUnknown;
    case ExitCode::kUsage:
      return absl::StatusCode::kInvalidArgument;
    case ExitCode::kUnreachable:
      return absl::StatusCode::kUnavailable;
    case ExitCode::kLocked:
      return absl::StatusCode::kAborted;
    case ExitCode::kDenied:
      return absl::StatusCode::kPermissionDenied;
    case ExitCode::kIncompatible:
      return absl::StatusCode::kUnimplemented;
    case ExitCode::kInterrupted:
      return absl::StatusCode::kCancelled;
  }
  return absl::StatusCode::kUnknown;
}

}  // namespace

absl::Status CliError(ExitCode code, absl::string_view what, absl::string_view why,
                      absl::string_view fix) {
  absl::Status status(CodeFor(code), what);
  status.SetPayload(kExitPayload, absl::Cord(absl::StrCat(static_cast<int>(code))));
  if (!why.empty()) status.SetPayload(kWhyPayload, absl::Cord(why));
  if (!fix.empty()) status.SetPayload(kFixPayload, absl::Cord(fix));
  return status;
}

absl::Status UsageError(absl::string_view what, absl::string_view why, absl::string_view fix) {
  return CliError(ExitCode::kUsage, what, why, fix);
}

absl::Status Explain(const absl::Status& status, absl::string_view what, absl::string_view fix) {
  if (status.ok()) return status;
  const std::string why = Payload(status, kWhyPayload);
  const std::string old_fix = Payload(status, kFixPayload);
  return CliError(
      ExitCodeOf(status), what,
      why.empty() ? std::string(status.message()) : absl::StrCat(status.message(), ": ", why),
      old_fix.empty() ? fix : absl::string_view(old_fix));
}

absl::Status Advise(const absl::Status& status, absl::string_view fix) {
  if (ExitCodeOf(status) != ExitCode::kUsage || !Payload(status, kFixPayload).empty()) {
    return status;
  }
  return UsageError(status.message(), Payload(status, kWhyPayload), fix);
}

ExitCode ExitCodeOf(const absl::Status& status) {
  int code;
  if (absl::SimpleAtoi(Payload(status, kExitPayload), &code)) return static_cast<ExitCode>(code);
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kDone;
    case absl::StatusCode::kInvalidArgument:
      return ExitCode::kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return ExitCode::kUnreachable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return ExitCode::kDenied;
    case absl::StatusCode::kUnimplemented:
      return ExitCode::kIncompatible;
    case absl::StatusCode::kCancelled:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kFailed;
  }
}

ErrorText Describe(const absl::Status& status) {
  // What was typed, or a server said, stands in errors, in one line each whatever it is.
  return {base::OneLine(status.message(), kMostBytes),
          base::OneLine(Payload(status, kWhyPayload), kMostBytes),
          base::OneLine(Payload(status, kFixPayload), kMostBytes)};
}

std::string FormatError(const absl::Status& status) {
  const ErrorText text = Describe(status);
  std::string out = absl::StrCat("alt: ", text.what, "\n");
  if (!text.why.empty()) absl::StrAppend(&out, "why: ", text.why, "\n");
  if (!text.fix.empty()) absl::StrAppend(&out, "fix: ", text.fix, "\n");
  return out;
}

}  // namespace alt::cli
