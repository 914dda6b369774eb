// What ApplyLayouts (access_rewrite.h) and the conversions share.
#ifndef COMMON_LAYOUT_APPLY_LAYOUTS_H_
#define COMMON_LAYOUT_APPLY_LAYOUTS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "common/layout/layout.h"
#include "common/te/stage.h"

namespace alt::layout {

// ApplyLayouts without the rules about what external tensors and outputs may be: packing writes any
// layout to an output and unpacking reads any from an input.
absl::StatusOr<te::Graph> RewriteGraph(const te::Graph& graph,
                                       const std::map<std::string, Layout>& layouts);

}  // namespace alt::layout

#endif  // COMMON_LAYOUT_APPLY_LAYOUTS_H_
