#include "common/workload/op/matmul.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/te/op/gemm.h"

namespace alt::workload {

const char* NameOf(const Matmul&) { return "matmul"; }

const char* MeaningOf(const Matmul&) {
  return "matrix product: a [batch,m,k] (trans_a: [batch,k,m]), b [batch,k,n] (trans_b: "
         "[batch,n,k]) "
         "-> c [batch,m,n], without the batch dimension when batch=1; const_b: b is a constant";
}

Fields FieldsOf(Matmul& op) {
  Field batch = SizeField("batch", &op.batch, {"b", "batch_size"});
  batch.fallback = "1";
  return {
      SizeField("m", &op.m, {"rows"}),
      SizeField("n", &op.n, {"cols", "columns"}),
      SizeField("k", &op.k, {"inner", "depth"}),
      std::move(batch),
      FlagField("trans_a", &op.trans_a, false, {"ta", "transa", "transpose_a"}),
      FlagField("trans_b", &op.trans_b, false, {"tb", "transb", "transpose_b"}),
      FlagField("const_b", &op.const_b, true, {"constant_b", "weights"}),
      DtypeField(),
  };
}

absl::Status CheckShapes(const Matmul& op) {
  ALT_RETURN_IF_ERROR(CheckElements("a", {op.batch, op.m, op.k}));
  ALT_RETURN_IF_ERROR(CheckElements("b", {op.batch, op.k, op.n}));
  return CheckElements("c", {op.batch, op.m, op.n});
}

double MultiplyAdds(const Matmul& op) {
  return static_cast<double>(op.batch) * static_cast<double>(op.m) * static_cast<double>(op.n) *
         static_cast<double>(op.k);
}

double LeastMultiplyAdds(const Matmul& op, const Algorithm&) { return MultiplyAdds(op); }

double CompulsoryElements(const Matmul& op) {
  const double m = static_cast<double>(op.m), n = static_cast<double>(op.n);
  const double k = static_cast<double>(op.k);
  return static_cast<double>(op.batch) * (m * k + k * n + m * n);
}

absl::StatusOr<te::Graph> MakeGraph(const Matmul& op, const Algorithm& algorithm) {
  if (!algorithm.rewrites.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Print(algorithm.rewrites[0]), " is for convolutions"));
  }
  return te::MakeGemm({.m = op.m,
                       .n = op.n,
                       .k = op.k,
                       .batch = op.batch,
                       .trans_a = op.trans_a,
                       .trans_b = op.trans_b,
                       .const_b = op.const_b});
}

std::vector<Algorithm> AlgorithmsOf(const Matmul&) { return {{}}; }

}  // namespace alt::workload
