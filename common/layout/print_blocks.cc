// The block form of a layout, for people: "N H/4 W/14 O/32 4h 14w 32o" after NCHW16c. An outer
// dimension is its name in capitals with the size of the block below it, an inner one its size and
// its name. Two layouts may look alike; parse_blocks.cc reads the plainest.
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/layout/layout.h"
#include "common/layout/primitive/rules.h"

namespace alt::layout {
namespace {

struct Block {
  std::string name;
  int64_t size = 1;     // extent of this dimension
  int64_t divisor = 1;  // of an outer one: elements below one step of it
  bool inner = false;
  bool literal = false;  // the name is a text made of others' and keeps its capitals
};
using Blocks = std::vector<Block>;

std::string Text(const Block& block) {
  std::string name = block.name;
  if (!block.literal) block.inner ? absl::AsciiStrToLower(&name) : absl::AsciiStrToUpper(&name);
  if (block.inner) return absl::StrCat(block.size, name);
  return block.divisor == 1 ? name : absl::StrCat(name, "/", block.divisor);
}

// A block that can only be shown as what it is made of.
Block Literal(absl::string_view text) {
  return {.name = absl::StrCat("(", text, ")"), .literal = true};
}

// The blocks after a primitive. Sizes are filled in by the caller.
struct After {
  const Blocks& blocks;

  Blocks operator()(const Split& p) const {
    Blocks parts = {blocks[p.dim]};
    for (int64_t f : p.factors) {
      parts[0].divisor *= f;
      parts.push_back(InnerOf(parts[0]));
    }
    return Splice(blocks, p.dim, 1, std::move(parts));
  }
  Blocks operator()(const Reorder& p) const {
    Blocks result;
    for (int from : p.perm) result.push_back(blocks[from]);
    return result;
  }
  Blocks operator()(const Fuse& p) const {
    Blocks fused(blocks.begin() + p.first, blocks.begin() + p.last + 1);
    return Splice(blocks, p.first, static_cast<int>(fused.size()), {Join(fused)});
  }
  Blocks operator()(const Unfold& p) const {
    Block tiles = blocks[p.dim];
    tiles.divisor *= p.stride;
    return Splice(blocks, p.dim, 1, {tiles, InnerOf(tiles)});
  }
  Blocks operator()(const Pad& p) const { return Resized(p.dim, p.before, p.after, "+"); }
  Blocks operator()(const Unpad& p) const { return Resized(p.dim, p.before, p.after, "-"); }
  Blocks operator()(const Fold& p) const {
    Block whole = blocks[p.dim];
    if (whole.name == blocks[p.dim + 1].name && whole.divisor % p.stride == 0) {
      whole.divisor /= p.stride;
    } else {
      whole = Join({whole, blocks[p.dim + 1]});
    }
    return Splice(blocks, p.dim, 2, {whole});
  }

 private:
  static Block InnerOf(const Block& outer) {
    return {.name = outer.name, .inner = true, .literal = outer.literal};
  }
  static Block Join(const Blocks& parts) {
    return Literal(absl::StrJoin(
        parts, "*", [](std::string* out, const Block& b) { absl::StrAppend(out, Text(b)); }));
  }
  // An inner block shows its size anyway.
  Blocks Resized(int dim, int64_t before, int64_t after, absl::string_view sign) const {
    Block block = blocks[dim];
    if (!block.inner) {
      std::string text = Text(block);
      if (before > 0) text = absl::StrCat(sign == "-" ? "-" : "", before, "+", text);
      if (after > 0) absl::StrAppend(&text, sign, after);
      if (before > 0 || after > 0) block = Literal(text);
    }
    return Splice(blocks, dim, 1, {block});
  }
};

}  // namespace

std::string PrintBlocks(const Layout& layout, const Shape& shape,
                        const std::vector<std::string>& names) {
  ALT_CHECK_EQ(names.size(), shape.size());
  absl::StatusOr<BoundLayout> bound = BoundLayout::Create(layout, shape);
  if (!bound.ok()) return Print(layout);  // for display: better than nothing
  Blocks blocks;
  for (const std::string& name : names) blocks.push_back({.name = name});
  for (size_t i = 0; i < layout.primitives.size(); ++i) {
    blocks = std::visit(After{blocks}, layout.primitives[i]);
    for (size_t d = 0; d < blocks.size(); ++d) blocks[d].size = bound->shapes()[i + 1][d];
  }
  return absl::StrJoin(blocks, " ",
                       [](std::string* out, const Block& b) { absl::StrAppend(out, Text(b)); });
}

}  // namespace alt::layout
