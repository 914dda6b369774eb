#include "common/base/call_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/parse.h"

namespace alt::base {
namespace {

bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '_'; }

absl::Status Expected(absl::string_view at, absl::string_view what, absl::string_view example) {
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(at), ": expected ", what, ", as in ", example));
}

}  // namespace

absl::StatusOr<CallText> TakeCall(absl::string_view* text, absl::string_view example) {
  const absl::string_view from = absl::StripAsciiWhitespace(*text);
  const size_t name_size = std::find_if_not(from.begin(), from.end(), IsNameChar) - from.begin();
  if (name_size == 0) return Expected(from, "a name", example);
  CallText call{.text = from.substr(0, name_size), .name = from.substr(0, name_size), .args = {}};
  const absl::string_view after = absl::StripLeadingAsciiWhitespace(from.substr(name_size));
  if (!after.empty() && after[0] == '(') {
    const size_t close = after.find_first_of("()", 1);
    if (close == absl::string_view::npos || after[close] != ')') {
      return Expected(from, "')'", example);
    }
    const absl::string_view inside = absl::StripAsciiWhitespace(after.substr(1, close - 1));
    if (!inside.empty()) call.args = absl::StrSplit(inside, ',');
    for (absl::string_view& arg : call.args) arg = absl::StripAsciiWhitespace(arg);
    call.text = from.substr(0, after.data() + close + 1 - from.data());
  }
  *text = absl::StripLeadingAsciiWhitespace(from.substr(call.text.size()));
  return call;
}

bool IsName(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsNameChar(c) || c == '.'; });
}

absl::Status BadCall(const CallText& call, absl::string_view reason) {
  constexpr size_t kMost = 200;
  const absl::string_view more = call.text.size() > kMost ? "..." : "";
  return absl::InvalidArgumentError(
      absl::StrCat(absl::CHexEscape(call.text.substr(0, kMost)), more, ": ", reason));
}

absl::Status CheckLength(absl::string_view what, absl::string_view text, size_t most) {
  if (text.size() <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the ", what, " has ", text.size(), " bytes, the most is ", most));
}

}  // namespace alt::base
