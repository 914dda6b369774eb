#include "common/wire/connection_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace alt::wire {

std::string ConnectionReason(const absl::Status& status) {
  if (absl::IsDeadlineExceeded(status)) return "no answer in time";
  const absl::string_view message = status.message();
  if (absl::StrContains(message, "DNS resolution failed")) return "no host of that name is known";
  // Of several addresses the last one's reason, which the system gave.
  const size_t at = message.rfind(": ");
  if (!absl::StrContains(message, "failed to connect to all") || at == absl::string_view::npos) {
    return std::string(message);
  }
  return absl::AsciiStrToLower(message.substr(at + 2));
}

}  // namespace alt::wire
