// Reads the text that print.cc writes, with free white space.
#include "common/base/parse.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/call_text.h"
#include "common/base/status_macros.h"
#include "common/ir/limits.h"
#include "common/layout/layout.h"
#include "common/layout/primitive.h"

namespace alt::layout {
namespace {

constexpr size_t kMaxTextBytes = size_t{32} << 10;
constexpr char kExample[] = "split(1,16)";

using Numbers = std::vector<int64_t>;

int Dim(int64_t number) { return static_cast<int>(number); }

// How a primitive is written, and what is made of its numbers.
struct Form {
  absl::string_view name;
  absl::string_view text;
  size_t least, most;  // numbers
  Primitive (*make)(const Numbers& n);
};
constexpr Form kForms[] = {
    {"split", "split(dim,factor,..)", 2, 1 + ir::kMaxFactors,
     [](const Numbers& n) -> Primitive {
       return Split{Dim(n[0]), {n.begin() + 1, n.end()}};
     }},
    {"reorder", "reorder(dim,dim,..)", 1, ir::kMaxRank,
     [](const Numbers& n) -> Primitive {
       return Reorder{{n.begin(), n.end()}};
     }},
    {"fuse", "fuse(first,last)", 2, 2,
     [](const Numbers& n) -> Primitive {
       return Fuse{Dim(n[0]), Dim(n[1])};
     }},
    {"unfold", "unfold(dim,size,stride)", 3, 3,
     [](const Numbers& n) -> Primitive {
       return Unfold{Dim(n[0]), n[1], n[2]};
     }},
    {"pad", "pad(dim,before,after)", 3, 3,
     [](const Numbers& n) -> Primitive {
       return Pad{Dim(n[0]), n[1], n[2]};
     }},
    {"fold", "fold(dim,size,stride,extent)", 4, 4,
     [](const Numbers& n) -> Primitive {
       return Fold{Dim(n[0]), n[1], n[2], n[3]};
     }},
    {"unpad", "unpad(dim,before,after)", 3, 3,
     [](const Numbers& n) -> Primitive {
       return Unpad{Dim(n[0]), n[1], n[2]};
     }},
};

absl::Status UnknownPrimitive(const base::CallText& call) {
  std::vector<std::string> known;
  for (const Form& form : kForms) known.emplace_back(form.name);
  return base::BadCall(call, absl::StrCat("unknown primitive ", base::Quoted(call.name),
                                          base::DidYouMean(call.name, known), "; known are ",
                                          absl::StrJoin(known, ", ")));
}

// Every number of every primitive is a dimension, a size or a count: none is negative or huge.
absl::StatusOr<int64_t> ParseNumber(const base::CallText& call, absl::string_view text) {
  const absl::StatusOr<int64_t> number = base::ParseInt64(text);
  if (number.ok() && *number >= 0 && *number <= kMaxNumber) return *number;
  return base::BadCall(call,
                       absl::StrCat(base::Quoted(text), " is no number from 0 to ", kMaxNumber));
}

absl::StatusOr<Primitive> ParsePrimitive(const base::CallText& call) {
  for (const Form& form : kForms) {
    if (form.name != call.name) continue;
    Numbers numbers;
    for (absl::string_view arg : call.args) {
      ALT_ASSIGN_OR_RETURN(numbers.emplace_back(), ParseNumber(call, arg));
    }
    if (numbers.size() >= form.least && numbers.size() <= form.most) return form.make(numbers);
    return base::BadCall(
        call, absl::StrCat("expected ", form.text, " with ",
                           form.least == form.most ? "" : absl::StrCat(form.least, " to "),
                           form.most, " numbers, got ", numbers.size()));
  }
  return UnknownPrimitive(call);
}

}  // namespace

absl::StatusOr<Layout> Parse(absl::string_view text) {
  ALT_RETURN_IF_ERROR(base::CheckLength("layout", text, kMaxTextBytes));
  Layout layout;
  for (text = absl::StripAsciiWhitespace(text); !text.empty();) {
    ALT_ASSIGN_OR_RETURN(const base::CallText call, base::TakeCall(&text, kExample));
    if (layout.primitives.size() == kMaxPrimitives) {
      return absl::InvalidArgumentError(
          absl::StrCat("a layout has at most ", kMaxPrimitives, " primitives"));
    }
    ALT_ASSIGN_OR_RETURN(Primitive primitive, ParsePrimitive(call));
    layout.primitives.push_back(std::move(primitive));
  }
  return layout;
}

}  // namespace alt::layout
