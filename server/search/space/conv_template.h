// The joint template of convolutions (docs/search.md#the-joint-template), one level:
//
//   output  N, H/ht, W/wt, O/ot, ht, wt, ot    or N, O/ot, H, W, ot (NHWC: ot = O)
//                                              or N, O, H, W with vectors along W
//   input   N, the spatial axes unfolded to match, C/it, .., it
//   weight  O/vt, KH, KW, I, vt                vt: the vector tile of the loops
//   groups of few channels: channels as (G/gt, .., c, gt), vectors over groups
//
// A fixed output says itself which axis plays which part: its innermost one holds the vectors.

#ifndef SERVER_SEARCH_SPACE_CONV_TEMPLATE_H_
#define SERVER_SEARCH_SPACE_CONV_TEMPLATE_H_

#include <memory>

#include "server/search/space/space.h"

namespace alt::search {

std::unique_ptr<Space> MakeConvTemplate(const workload::Conv2d& conv, const target::Target& target,
                                        SpaceOptions options);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_CONV_TEMPLATE_H_
