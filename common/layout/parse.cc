// Reads the text that print.cc writes, with free white space.
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/ir/limits.h"
#include "common/layout/layout.h"
#include "common/layout/primitive.h"

namespace alt::layout {
namespace {

using Numbers = std::vector<int64_t>;

constexpr char kKnown[] = "split, reorder, fuse, unfold, pad, fold, unpad";

// "name(" numbers ")" cut off the front of a text.
struct Call {
  std::string text;  // as written, for messages
  std::string name;
  Numbers numbers;
};

absl::Status Bad(const Call& call, absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("'", call.text, "': ", reason));
}

absl::StatusOr<Call> TakeCall(absl::string_view* text) {
  const size_t open = text->find('(');
  const size_t close = text->find(')');
  if (open == absl::string_view::npos || close == absl::string_view::npos || close < open) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", *text, "': expected a primitive such as split(1,16)"));
  }
  Call call{.text = std::string(text->substr(0, close + 1)),
            .name = std::string(absl::StripAsciiWhitespace(text->substr(0, open)))};
  for (absl::string_view field : absl::StrSplit(text->substr(open + 1, close - open - 1), ',')) {
    int64_t number;
    if (!absl::SimpleAtoi(field, &number)) {
      return Bad(call, absl::StrCat("'", absl::StripAsciiWhitespace(field), "' is not a number"));
    }
    call.numbers.push_back(number);
  }
  text->remove_prefix(close + 1);
  return call;
}

// The numbers as dimensions, which are ints; nullopt when one is not.
std::optional<std::vector<int>> AsDims(const Numbers& numbers) {
  std::vector<int> dims;
  for (int64_t n : numbers) {
    if (n < 0 || n > kMaxNumber) return std::nullopt;
    dims.push_back(static_cast<int>(n));
  }
  return dims;
}

// `dims` are the call's numbers as ints.
absl::StatusOr<Primitive> MakePrimitive(const Call& call, const std::vector<int>& dims) {
  const Numbers& n = call.numbers;
  auto expect = [&](size_t count, absl::string_view form) -> absl::Status {
    if (n.size() == count) return absl::OkStatus();
    return Bad(call, absl::StrCat("expected ", form));
  };
  if (call.name == "reorder") {
    if (n.size() <= ir::kMaxRank) return Reorder{dims};
    return Bad(call, absl::StrCat("more than ", ir::kMaxRank, " dimensions"));
  }
  if (call.name == "split") {
    if (n.size() < 2) return Bad(call, "expected split(dim,factor,..)");
    if (n.size() > 1 + ir::kMaxFactors) {
      return Bad(call, absl::StrCat("more than ", ir::kMaxFactors, " factors"));
    }
    return Split{dims[0], Numbers(n.begin() + 1, n.end())};
  }
  if (call.name == "fuse") {
    ALT_RETURN_IF_ERROR(expect(2, "fuse(first,last)"));
    return Fuse{dims[0], dims[1]};
  }
  if (call.name == "unfold") {
    ALT_RETURN_IF_ERROR(expect(3, "unfold(dim,size,stride)"));
    return Unfold{dims[0], n[1], n[2]};
  }
  if (call.name == "pad") {
    ALT_RETURN_IF_ERROR(expect(3, "pad(dim,before,after)"));
    return Pad{dims[0], n[1], n[2]};
  }
  if (call.name == "fold") {
    ALT_RETURN_IF_ERROR(expect(4, "fold(dim,size,stride,extent)"));
    return Fold{dims[0], n[1], n[2], n[3]};
  }
  if (call.name == "unpad") {
    ALT_RETURN_IF_ERROR(expect(3, "unpad(dim,before,after)"));
    return Unpad{dims[0], n[1], n[2]};
  }
  return Bad(call, absl::StrCat("unknown primitive '", call.name, "'; known are ", kKnown));
}

}  // namespace

absl::StatusOr<Layout> Parse(absl::string_view text) {
  Layout layout;
  for (text = absl::StripAsciiWhitespace(text); !text.empty();
       text = absl::StripLeadingAsciiWhitespace(text)) {
    ALT_ASSIGN_OR_RETURN(Call call, TakeCall(&text));
    // Every number of every primitive is a dimension, a size or a count: none is negative or huge.
    std::optional<std::vector<int>> dims = AsDims(call.numbers);
    if (!dims.has_value()) return Bad(call, "a number is negative or too large");
    ALT_ASSIGN_OR_RETURN(Primitive primitive, MakePrimitive(call, *dims));
    if (layout.primitives.size() == kMaxPrimitives) {
      return absl::InvalidArgumentError(
          absl::StrCat("a layout has at most ", kMaxPrimitives, " primitives"));
    }
    layout.primitives.push_back(std::move(primitive));
  }
  return layout;
}

}  // namespace alt::layout
