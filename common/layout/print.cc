// The canonical text of primitives and layouts; parse.cc is its inverse. Hashed into keys: a change
// here orphans tuning records.
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/layout/layout.h"
#include "common/layout/primitive.h"

namespace alt::layout {
namespace {

std::string Text(const Split& p) {
  return absl::StrCat("split(", p.dim, ",", absl::StrJoin(p.factors, ","), ")");
}
std::string Text(const Reorder& p) {
  return absl::StrCat("reorder(", absl::StrJoin(p.perm, ","), ")");
}
std::string Text(const Fuse& p) { return absl::StrCat("fuse(", p.first, ",", p.last, ")"); }
std::string Text(const Unfold& p) {
  return absl::StrCat("unfold(", p.dim, ",", p.size, ",", p.stride, ")");
}
std::string Text(const Pad& p) {
  return absl::StrCat("pad(", p.dim, ",", p.before, ",", p.after, ")");
}
std::string Text(const Fold& p) {
  return absl::StrCat("fold(", p.dim, ",", p.size, ",", p.stride, ",", p.extent, ")");
}
std::string Text(const Unpad& p) {
  return absl::StrCat("unpad(", p.dim, ",", p.before, ",", p.after, ")");
}

}  // namespace

std::string Print(const Primitive& p) {
  return std::visit([](const auto& primitive) { return Text(primitive); }, p);
}

std::string Print(const Layout& layout) {
  return absl::StrJoin(layout.primitives, " ", [](std::string* out, const Primitive& p) {
    absl::StrAppend(out, Print(p));
  });
}

}  // namespace alt::layout
