// How far two workloads are from one another, by their canonical text alone: any operator that the
// text form can spell has a distance without a line here.
#ifndef SERVER_STORE_WORKLOAD_SHAPE_H_
#define SERVER_STORE_WORKLOAD_SHAPE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace alt::store {

// "conv2d:n=1,pad=1x2,dtype=f32;bias;relu" taken apart.
struct WorkloadShape {
  struct Attribute {
    std::string name;
    std::vector<double> values;  // 1x2 has two; none when it is a word
    std::string word;
  };
  std::string op;
  std::vector<Attribute> attributes;
  std::string tail;  // ";bias;relu"

  static WorkloadShape Parse(absl::string_view text);
};

// None between different operators, element types or numbers of dimensions. Else a sum over the
// attributes of |log2 of the ratio|: a doubled extent counts 1; windows, strides, dilations, groups
// and transpositions count four times as much, because they change which schedules are good rather
// than how often they run; the batch counts half. Another tail counts 1.
std::optional<double> ShapeDistance(const WorkloadShape& a, const WorkloadShape& b);

}  // namespace alt::store

#endif  // SERVER_STORE_WORKLOAD_SHAPE_H_
