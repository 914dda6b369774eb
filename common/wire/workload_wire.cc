#include "common/wire/workload_wire.h"

#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::wire {
namespace {

using Values = google::protobuf::RepeatedField<int64_t>;

struct OperatorWriter {
  v1::Workload& out;

  void operator()(const workload::Conv2d& op) {
    v1::Conv2d& conv = *out.mutable_conv2d();
    conv.set_n(op.n);
    conv.set_ic(op.ic);
    conv.set_ih(op.ih);
    conv.set_iw(op.iw);
    conv.set_oc(op.oc);
    conv.set_kh(op.kh);
    conv.set_kw(op.kw);
    conv.mutable_stride()->Add(std::begin(op.stride), std::end(op.stride));
    conv.mutable_pad_begin()->Add(std::begin(op.pad_begin), std::end(op.pad_begin));
    conv.mutable_pad_end()->Add(std::begin(op.pad_end), std::end(op.pad_end));
    conv.mutable_dilation()->Add(std::begin(op.dilation), std::end(op.dilation));
    conv.set_groups(op.groups);
  }
  void operator()(const workload::Matmul& op) {
    v1::Matmul& matmul = *out.mutable_matmul();
    matmul.set_m(op.m);
    matmul.set_n(op.n);
    matmul.set_k(op.k);
    matmul.set_batch(op.batch);
    matmul.set_trans_a(op.trans_a);
    matmul.set_trans_b(op.trans_b);
    matmul.set_const_b(op.const_b);
  }
};

// One value for each of the two spatial axes.
absl::Status ReadAxes(absl::string_view what, const Values& values, int64_t (&out)[2]) {
  if (values.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("conv2d: ", what, " has ", values.size(), " values, not 2"));
  }
  out[0] = values[0];
  out[1] = values[1];
  return absl::OkStatus();
}

absl::StatusOr<workload::Workload> Read(const v1::Conv2d& conv) {
  workload::Conv2d op{.n = conv.n(),
                      .ic = conv.ic(),
                      .ih = conv.ih(),
                      .iw = conv.iw(),
                      .oc = conv.oc(),
                      .kh = conv.kh(),
                      .kw = conv.kw(),
                      .groups = conv.groups()};
  ALT_RETURN_IF_ERROR(ReadAxes("stride", conv.stride(), op.stride));
  ALT_RETURN_IF_ERROR(ReadAxes("pad_begin", conv.pad_begin(), op.pad_begin));
  ALT_RETURN_IF_ERROR(ReadAxes("pad_end", conv.pad_end(), op.pad_end));
  ALT_RETURN_IF_ERROR(ReadAxes("dilation", conv.dilation(), op.dilation));
  return workload::Workload{op};
}

absl::StatusOr<workload::Workload> Read(const v1::Matmul& matmul) {
  return workload::Workload{workload::Matmul{.m = matmul.m(),
                                             .n = matmul.n(),
                                             .k = matmul.k(),
                                             .batch = matmul.batch(),
                                             .trans_a = matmul.trans_a(),
                                             .trans_b = matmul.trans_b(),
                                             .const_b = matmul.const_b()}};
}

absl::StatusOr<workload::Workload> ReadAny(const v1::Workload& workload) {
  switch (workload.op_case()) {
    case v1::Workload::kConv2D:
      return Read(workload.conv2d());
    case v1::Workload::kMatmul:
      return Read(workload.matmul());
    case v1::Workload::OP_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a workload of a kind that this version does not know");
}

}  // namespace

v1::Workload ToProto(const workload::Workload& workload) {
  v1::Workload out;
  std::visit(OperatorWriter{out}, workload.op);
  return out;
}

absl::StatusOr<workload::Workload> FromProto(const v1::Workload& workload) {
  ALT_ASSIGN_OR_RETURN(workload::Workload out, ReadAny(workload));
  ALT_RETURN_IF_ERROR(workload::Validate(out));
  return out;
}

}  // namespace alt::wire
