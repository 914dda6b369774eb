// The joint template of matrix products (docs/search.md#the-joint-template), one level:
//
//   a  M/mt, K, mt  or plain        b  N/vt, K, vt        c  M/mt, N/nt, mt, nt  or plain
//   vt: the vector tile of the loops, mt their row tile

#ifndef SERVER_SEARCH_SPACE_GEMM_TEMPLATE_H_
#define SERVER_SEARCH_SPACE_GEMM_TEMPLATE_H_

#include <memory>

#include "server/search/space/space.h"

namespace alt::search {

std::unique_ptr<Space> MakeGemmTemplate(const workload::Matmul& matmul,
                                        const target::Target& target, SpaceOptions options);

}  // namespace alt::search

#endif  // SERVER_SEARCH_SPACE_GEMM_TEMPLATE_H_
