#include "common/te/stage.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/ir/visitor.h"

namespace alt::te {

Axis MakeAxis(std::string name, int64_t extent) {
  ALT_CHECK(extent > 0) << "axis " << name << " of extent " << extent;
  return Axis{ir::MakeVar(std::move(name)), extent};
}

ir::RangeMap RangesOf(const Stage& stage) {
  ir::RangeMap ranges;
  for (const std::vector<Axis>* axes : {&stage.spatial, &stage.reduction}) {
    for (const Axis& axis : *axes) ranges[axis.var.get()] = {0, axis.extent - 1};
  }
  return ranges;
}

const Tensor* Graph::FindTensor(const std::string& name) const {
  for (const Tensor& tensor : tensors) {
    if (tensor.buffer->name == name) return &tensor;
  }
  return nullptr;
}

const Tensor* Graph::FindTensor(const ir::Buffer& buffer) const {
  for (const Tensor& tensor : tensors) {
    if (tensor.buffer == buffer) return &tensor;
  }
  return nullptr;
}

const Stage* Graph::FindStage(const std::string& name) const {
  for (const Stage& stage : stages) {
    if (stage.name == name) return &stage;
  }
  return nullptr;
}

const Stage* Graph::Producer(const ir::Buffer& tensor) const {
  for (const Stage& stage : stages) {
    if (stage.output == tensor) return &stage;
  }
  return nullptr;
}

std::vector<const Stage*> Graph::Consumers(const ir::Buffer& tensor) const {
  std::vector<const Stage*> consumers;
  for (const Stage& stage : stages) {
    const std::vector<ir::Buffer> reads = ReadsOf(stage);
    if (std::find(reads.begin(), reads.end(), tensor) != reads.end()) consumers.push_back(&stage);
  }
  return consumers;
}

std::vector<ir::Buffer> ReadsOf(const Stage& stage) {
  std::vector<ir::Buffer> reads;
  ir::VisitExpr(stage.body, [&reads](const ir::Expr& e) {
    if (e->kind == ir::ExprKind::kLoad && e->buffer->scope != ir::Scope::kTable &&
        std::find(reads.begin(), reads.end(), e->buffer) == reads.end()) {
      reads.push_back(e->buffer);
    }
    return true;
  });
  return reads;
}

bool RunsAhead(const Graph& graph, const Stage& stage) {
  const Tensor* output = graph.FindTensor(stage.output);
  ALT_CHECK(output != nullptr) << "stage " << stage.name << " writes an unknown tensor";
  if (output->role == Role::kOutput) return false;
  const std::vector<ir::Buffer> reads = ReadsOf(stage);
  if (reads.empty()) return false;
  for (const ir::Buffer& read : reads) {
    if (const Stage* producer = graph.Producer(read)) {
      if (!RunsAhead(graph, *producer)) return false;
    } else {
      const Tensor* tensor = graph.FindTensor(read);
      ALT_CHECK(tensor != nullptr) << "stage " << stage.name << " reads an unknown tensor";
      if (tensor->role != Role::kConstant) return false;
    }
  }
  return true;
}

}  // namespace alt::te
