// The rules for the loops of a nest: multi-level tiling around a register tile.
//
//   outer loops (batch axes, blocks of rows, tiles) in a chosen order
//     reduction loops, in blocks
//       register tile: rows x columns x vectors, unrolled and vectorized
//
// In the order in which they are applied. Each offers only what is legal, and small enough to
// compile, after the decisions before it.

#ifndef SERVER_SEARCH_SPACE_LOOP_RULE_RULES_H_
#define SERVER_SEARCH_SPACE_LOOP_RULE_RULES_H_

#include "server/search/space/draft.h"

namespace alt::search {

// Which axis of the owner plays which part.
void AssignAxes(Nest& nest, const Draft& draft);
// The tile whose sums are kept in registers.
void TileRegisters(Nest& nest, Draft& draft);
// Blocks of rows, and the order of the loops over tiles.
void OrderOuterLoops(Nest& nest, Draft& draft);
// Where the data are made.
void PlaceProducer(Nest& nest, Draft& draft);
// Blocks of the reduction and how much of it is unrolled.
void BlockReduction(Nest& nest, Draft& draft);
// How far ahead the filter is fetched.
void PrefetchFilter(Nest& nest, Draft& draft);

// The instructions of the plan.
void WriteNest(const Nest& nest, Draft& draft);

// The plan's loops over tiles and blocks, outermost first; what does not exist is left out.
std::vector<NamedAxis> OuterLoops(const Nest& nest);
// The loop of OuterLoops within which a block of rows lies; none where all rows are one block.
NamedAxis BlockLoop(const Nest& nest);
// Names of the digits of an axis that is split into tiles: a tile of one leaves the loop outside, a
// tile of all leaves it inside.
struct Digits {
  NamedAxis outer, inner;
  bool split() const { return outer.exists() && inner.exists(); }
};
Digits DigitsOf(const NamedAxis& axis, int64_t tile);

// Multiply-adds of one output: of a group's channels and taps.
int64_t Taps(const Nest& nest);
// Vectors that hold so many elements: whole ones, then of half the lanes and less: 14 of 16 lanes
// are 8 + 4 + 2.
int64_t VectorsIn(int64_t elements, int64_t lanes);
// Vectors that the register tile keeps, where every sum is kept.
int64_t VectorsOf(const Nest& nest, const Draft& draft);

// How many bodies of its own the register tile becomes: rests of tiles, and, where padding is read
// in place, tiles that meet it with unrolled taps or columns.
int64_t BodiesOf(const Nest& nest, bool inlined, bool unrolls_taps);

// Vector operations that an unrolled body may have, and all bodies together: more compiles for too
// long (about 30 us each).
inline constexpr int64_t kMostUnrolled = 640;
inline constexpr int64_t kMostInAllBodies = 2560;

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_LOOP_RULE_RULES_H_
