// Reads the block form that print_blocks.cc prints:
//
//   layout ::= part { part }
//   part   ::= block | "(" block { "*" block } ")"    dimensions of the result; several are fused
//   block  ::= NAME [ "/" size ]                      an outer dimension, in capitals
//            | size name                              an inner one, in small letters
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/call_text.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/ir/limits.h"
#include "common/layout/layout.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

constexpr size_t kMaxTextBytes = 4096;

struct Block {
  size_t dim = 0;    // of the logical shape
  int64_t size = 0;  // of an inner block, or below an outer one; 0: not said
  bool inner = false;
};
using Part = std::vector<Block>;  // fused

absl::Status Bad(absl::string_view at, absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat(base::Quoted(at), ": ", reason));
}

class BlockReader {
 public:
  BlockReader(absl::string_view text, const std::vector<std::string>& names)
      : rest_(absl::StripAsciiWhitespace(text)), names_(names) {}

  absl::StatusOr<std::vector<Part>> Read() {
    std::vector<Part> parts;
    size_t blocks = 0;
    while (!rest_.empty()) {
      ALT_ASSIGN_OR_RETURN(Part part, ReadPart());
      blocks += part.size();
      if (blocks > ir::kMaxRank) {
        return absl::InvalidArgumentError(
            absl::StrCat("a layout has at most ", ir::kMaxRank, " dimensions"));
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  absl::StatusOr<Part> ReadPart() {
    Part part;
    if (!Take('(')) {
      ALT_ASSIGN_OR_RETURN(part.emplace_back(), ReadBlock());
      return part;
    }
    do {
      ALT_ASSIGN_OR_RETURN(part.emplace_back(), ReadBlock());
    } while (Take('*'));
    if (!Take(')')) return Bad(rest_, "expected '*' or ')'");
    if (!rest_.empty() && rest_[0] == '/') {
      return Bad(rest_, "blocks of fused dimensions have no block form; write fuse and split");
    }
    return part;
  }

  absl::StatusOr<Block> ReadBlock() {
    const absl::string_view from = rest_;
    Block block;
    block.inner = !rest_.empty() && absl::ascii_isdigit(rest_[0]);
    if (block.inner) {
      ALT_ASSIGN_OR_RETURN(block.size, ReadSize());
    }
    ALT_ASSIGN_OR_RETURN(block.dim, ReadName(block.inner, from));
    if (!block.inner && Take('/')) {
      ALT_ASSIGN_OR_RETURN(block.size, ReadSize());
    }
    return block;
  }

  absl::StatusOr<int64_t> ReadSize() {
    const absl::string_view digits = TakeWhile([](char c) { return absl::ascii_isdigit(c); });
    const absl::StatusOr<int64_t> size = base::ParseInt64(digits);
    if (size.ok() && *size >= 1 && *size <= kMaxNumber) return *size;
    return Bad(digits, absl::StrCat("expected a block size from 1 to ", kMaxNumber));
  }

  // The longest name of a dimension that stands here. One may be the beginning of another, and
  // between letters there need not be a space.
  absl::StatusOr<size_t> ReadName(bool inner, absl::string_view from) {
    size_t best = names_.size();
    for (size_t d = 0; d < names_.size(); ++d) {
      std::string name = names_[d];
      inner ? absl::AsciiStrToLower(&name) : absl::AsciiStrToUpper(&name);
      if (rest_.substr(0, name.size()) != name) continue;
      if (best == names_.size() || name.size() > names_[best].size()) best = d;
    }
    if (best < names_.size()) {
      rest_.remove_prefix(names_[best].size());
      SkipSpace();
      return best;
    }
    std::vector<std::string> known;
    for (const std::string& name : names_) known.push_back(absl::AsciiStrToUpper(name));
    return Bad(
        from, absl::StrCat("expected a dimension out of ", absl::StrJoin(known, " "), ", such as ",
                           known[0], "/8, or a block such as 8", absl::AsciiStrToLower(names_[0])));
  }

  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    SkipSpace();
    return true;
  }
  template <class Predicate>
  absl::string_view TakeWhile(Predicate predicate) {
    const size_t size = std::find_if_not(rest_.begin(), rest_.end(), predicate) - rest_.begin();
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    SkipSpace();
    return taken;
  }
  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  absl::string_view rest_;
  const std::vector<std::string>& names_;
};

// The blocks of one logical dimension: its outer one, and the sizes of the inner ones.
struct Factors {
  bool has_outer = false;
  int64_t divisor = 0;  // 0: not said
  std::vector<int64_t> sizes;
};

absl::Status CheckFactors(const Factors& factors, const std::string& name) {
  const std::string outer = absl::AsciiStrToUpper(name);
  if (!factors.has_outer) {
    return absl::InvalidArgumentError(absl::StrCat("dimension ", outer, " is missing"));
  }
  if (factors.sizes.size() > ir::kMaxFactors) {
    return absl::InvalidArgumentError(
        absl::StrCat("dimension ", outer, " has more than ", ir::kMaxFactors, " blocks"));
  }
  int64_t product = 1;
  for (int64_t size : factors.sizes) {
    if (size > kMaxNumber / product) {
      return absl::InvalidArgumentError(absl::StrCat("blocks of ", outer, " are too large"));
    }
    product *= size;
  }
  if (factors.divisor == 0 || factors.divisor == product) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(outer, "/", factors.divisor, " has blocks of ", product,
                   " below it; tiles that overlap are written as unfold"));
}

absl::StatusOr<std::vector<Factors>> CollectFactors(const std::vector<Part>& parts,
                                                    const std::vector<std::string>& names) {
  std::vector<Factors> all(names.size());
  for (const Part& part : parts) {
    for (const Block& block : part) {
      Factors& factors = all[block.dim];
      if (block.inner) {
        factors.sizes.push_back(block.size);
      } else if (std::exchange(factors.has_outer, true)) {
        return absl::InvalidArgumentError(
            absl::StrCat("dimension ", absl::AsciiStrToUpper(names[block.dim]), " is twice"));
      } else {
        factors.divisor = block.size;
      }
    }
  }
  for (size_t d = 0; d < names.size(); ++d) {
    ALT_RETURN_IF_ERROR(CheckFactors(all[d], names[d]));
  }
  return all;
}

}  // namespace

absl::StatusOr<Layout> ParseBlocks(absl::string_view text, const std::vector<std::string>& names) {
  ALT_RETURN_IF_ERROR(base::CheckLength("layout", text, kMaxTextBytes));
  ALT_ASSIGN_OR_RETURN(const std::vector<Part> parts, BlockReader(text, names).Read());
  ALT_ASSIGN_OR_RETURN(const std::vector<Factors> factors, CollectFactors(parts, names));
  Layout layout;
  std::vector<int> outer;  // where each dimension's blocks stand after the splits
  int rank = 0;
  for (const Factors& of_dim : factors) {
    outer.push_back(rank);
    if (!of_dim.sizes.empty()) layout.primitives.push_back(Split{rank, of_dim.sizes});
    rank += 1 + static_cast<int>(of_dim.sizes.size());
  }
  Reorder reorder;
  std::vector<int> next_inner = outer;
  for (const Part& part : parts) {
    for (const Block& block : part) {
      reorder.perm.push_back(block.inner ? ++next_inner[block.dim] : outer[block.dim]);
    }
  }
  if (!std::is_sorted(reorder.perm.begin(), reorder.perm.end())) {
    layout.primitives.push_back(std::move(reorder));
  }
  int at = 0;
  for (const Part& part : parts) {
    if (part.size() > 1) {
      layout.primitives.push_back(Fuse{at, at + static_cast<int>(part.size()) - 1});
    }
    ++at;
  }
  return layout;
}

}  // namespace alt::layout
