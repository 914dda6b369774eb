#include "common/workload/algorithm.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/call_text.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"

namespace alt::workload {
namespace {

constexpr char kDirect[] = "direct";
constexpr char kExample[] = "winograd(4,4)";
constexpr size_t kMaxTextBytes = 1024;

absl::StatusOr<Rewrite> ParseWinograd(const base::CallText& call) {
  Winograd winograd{0, 0};
  if (call.args.size() == 2) {
    winograd.mh = base::ParseInt64(call.args[0]).value_or(0);
    winograd.mw = base::ParseInt64(call.args[1]).value_or(0);
  }
  // Sizes of more than two digits are never right, and arithmetic on them could overflow.
  const auto sane = [](int64_t m) { return m >= 1 && m <= 99; };
  if (sane(winograd.mh) && sane(winograd.mw)) return winograd;
  return base::BadCall(call,
                       absl::StrCat("expected two tile sizes from 1 to 99, as in ", kExample));
}

absl::StatusOr<Rewrite> ParseConvert(const base::CallText& call) {
  if (call.args.size() == 1 && base::IsName(call.args[0])) {
    return Convert{std::string(call.args[0])};
  }
  return base::BadCall(call, "expected the name of one tensor, as in convert(y)");
}

absl::StatusOr<Rewrite> ParseRewrite(const base::CallText& call) {
  if (call.name == "winograd") return ParseWinograd(call);
  if (call.name == "convert") return ParseConvert(call);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown algorithm ", base::Quoted(call.text),
      base::DidYouMean(call.name, std::vector<std::string>{kDirect, "winograd", "convert"}),
      "; there are direct, winograd(mh,mw) and convert(tensor)"));
}

std::string Text(const Winograd& winograd) {
  return absl::StrCat("winograd(", winograd.mh, ",", winograd.mw, ")");
}

std::string Text(const Convert& convert) { return absl::StrCat("convert(", convert.tensor, ")"); }

}  // namespace

std::string Print(const Rewrite& rewrite) {
  return std::visit([](const auto& r) { return Text(r); }, rewrite);
}

std::string Print(const Algorithm& algorithm) {
  if (algorithm.rewrites.empty()) return kDirect;
  return absl::StrJoin(algorithm.rewrites, " ", [](std::string* out, const Rewrite& rewrite) {
    absl::StrAppend(out, Print(rewrite));
  });
}

absl::StatusOr<Algorithm> ParseAlgorithm(absl::string_view text) {
  ALT_RETURN_IF_ERROR(base::CheckLength("algorithm", text, kMaxTextBytes));
  text = absl::StripAsciiWhitespace(text);
  if (text == kDirect) return Algorithm{};
  if (text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the algorithm is empty; write ", kDirect, " or e.g. ", kExample));
  }
  Algorithm algorithm;
  while (!text.empty()) {
    ALT_ASSIGN_OR_RETURN(const base::CallText call, base::TakeCall(&text, kExample));
    if (algorithm.rewrites.size() == kMaxRewrites) {
      return absl::InvalidArgumentError(
          absl::StrCat("an algorithm has at most ", kMaxRewrites, " rewrites"));
    }
    ALT_ASSIGN_OR_RETURN(Rewrite rewrite, ParseRewrite(call));
    algorithm.rewrites.push_back(rewrite);
  }
  return algorithm;
}

Parts PartsOf(const Algorithm& algorithm) {
  Parts parts;
  for (const Rewrite& rewrite : algorithm.rewrites) {
    if (const auto* convert = std::get_if<Convert>(&rewrite)) {
      parts.conversions.push_back(*convert);
    } else {
      parts.computation.rewrites.push_back(rewrite);
    }
  }
  return parts;
}

}  // namespace alt::workload
