#include "client/kernel_export.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/layout/apply_layouts.h"
#include "common/layout/conversion.h"
#include "common/lower/lower.h"

namespace alt::client {
namespace {

absl::string_view RoleName(te::Role role) {
  switch (role) {
    case te::Role::kConstant:
      return "constant";
    case te::Role::kOutput:
      return "output";
    default:
      return "input";
  }
}

// Of the metadata; 1 had functions without a result.
constexpr int kVersion = 2;

// Builds the module function by function.
class Exporter {
 public:
  Exporter(const ExportRequest& request, KernelExport& out) : request_(request), out_(out) {}

  absl::Status Run() {
    ALT_ASSIGN_OR_RETURN(lower::Kernel kernel, lower::Lower(request_.workload, request_.candidate,
                                                            request_.target, request_.name));
    out_.module = std::move(kernel.module);
    ALT_ASSIGN_OR_RETURN(logical_,
                         workload::MakeGraph(request_.workload, request_.candidate.algorithm));
    for (const lower::Parameter& param : kernel.params) {
      // Lowering has made a graph of its own: names are what both know.
      const te::Tensor& tensor = *logical_.FindTensor(param.tensor.buffer->name);
      if (logical_.Producer(tensor.buffer) != nullptr && tensor.role == te::Role::kConstant) {
        ALT_RETURN_IF_ERROR(AddAhead(param));
      } else {
        ALT_RETURN_IF_ERROR(AddTensor(param));
      }
    }
    return absl::OkStatus();
  }

 private:
  // A tensor of the caller, perhaps in another layout.
  absl::Status AddTensor(const lower::Parameter& param) {
    ALT_ASSIGN_OR_RETURN(const layout::BoundLayout bound,
                         layout::BoundLayout::Create(param.layout, param.tensor.buffer->shape));
    const std::string& name = param.tensor.buffer->name;
    ExportedTensor tensor{.name = name,
                          .role = std::string(RoleName(param.tensor.role)),
                          .layout = layout::Print(param.layout),
                          .plain_shape = bound.logical_shape(),
                          .shape = bound.physical_shape()};
    ALT_ASSIGN_OR_RETURN(const te::Graph pack, layout::PackGraph(param.tensor, param.layout));
    ALT_ASSIGN_OR_RETURN(tensor.pack, AddFunction("pack", name, pack));
    const absl::StatusOr<te::Graph> unpack = layout::UnpackGraph(param.tensor, param.layout);
    if (unpack.ok()) {
      ALT_ASSIGN_OR_RETURN(tensor.unpack, AddFunction("unpack", name, *unpack));
    } else if (!absl::IsFailedPrecondition(unpack.status())) {  // a layout that drops cells
      return unpack.status();
    }
    out_.tensors.push_back(std::move(tensor));
    return absl::OkStatus();
  }

  // A constant that is computed from constants of the caller: packing computes it. The caller's
  // are plain whatever layout the candidate gives them: the kernel reads none of them.
  absl::Status AddAhead(const lower::Parameter& param) {
    const std::string& name = param.tensor.buffer->name;
    ALT_ASSIGN_OR_RETURN(const te::Graph physical,
                         layout::ApplyLayouts(logical_, {{name, param.layout}}));
    ALT_ASSIGN_OR_RETURN(const te::Graph graph, lower::AheadGraph(physical, name));
    std::vector<const te::Tensor*> sources;
    for (const te::Tensor& tensor : graph.tensors) {
      if (tensor.role != te::Role::kConstant) continue;
      sources.push_back(logical_.FindTensor(tensor.buffer->name));
    }
    if (sources.size() != 1) {
      return absl::UnimplementedError(absl::StrCat("cannot export ", name, ": it is computed from ",
                                                   sources.size(), " constants"));
    }
    const std::string& source = sources[0]->buffer->name;
    ExportedTensor tensor{
        .name = source,
        .role = "constant",
        .layout = absl::StrCat("computed: ", name, " ", layout::Print(param.layout)),
        .plain_shape = sources[0]->buffer->shape,
        .shape = param.buffer->shape};
    ALT_ASSIGN_OR_RETURN(tensor.pack, AddFunction("pack", source, graph));
    out_.tensors.push_back(std::move(tensor));
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> AddFunction(const char* verb, const std::string& tensor,
                                          const te::Graph& graph) {
    const std::string symbol = absl::StrCat(request_.name, "_", verb, "_", tensor);
    ALT_ASSIGN_OR_RETURN(ir::Module module, lower::LowerNaive(graph, request_.target, symbol));
    for (ir::Function& function : module.functions) {
      // What a caller has comes from malloc or out of the middle of something.
      function.alignment_bytes = sizeof(float);
      out_.module.functions.push_back(std::move(function));
    }
    return symbol;
  }

  const ExportRequest& request_;
  KernelExport& out_;
  te::Graph logical_;
};

}  // namespace

absl::StatusOr<KernelExport> MakeKernelExport(const ExportRequest& request) {
  KernelExport out;
  ALT_RETURN_IF_ERROR(Exporter(request, out).Run());
  return out;
}

absl::StatusOr<ExportedLibrary> MakeLibrary(const ExportRequest& request,
                                            const KernelExport& kernel, codegen::Codegen& codegen,
                                            codegen::LibraryForm form) {
  ALT_ASSIGN_OR_RETURN(codegen::Library library,
                       codegen.Export(kernel.module,
                                      {.check_alignment = request.check_alignment,
                                       .text_symbol = request.name + "_metadata",
                                       .text =
                                           [&](int64_t workspace_bytes) {
                                             return ExportMetadata(request, kernel,
                                                                   workspace_bytes);
                                           }},
                                      form));
  return ExportedLibrary{std::move(library.contents),
                         ExportHeader(request, kernel, library.workspace_bytes)};
}

std::string ExportMetadata(const ExportRequest& request, const KernelExport& kernel,
                           int64_t workspace_bytes) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  nlohmann::ordered_json layouts = nlohmann::ordered_json::object();
  for (const ExportedTensor& tensor : kernel.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"role", tensor.role},
                       {"layout", tensor.layout},
                       {"plain_shape", tensor.plain_shape},
                       {"shape", tensor.shape},
                       {"pack", tensor.pack},
                       {"unpack", tensor.unpack}});
    layouts[tensor.name] = tensor.layout;
  }
  const nlohmann::ordered_json metadata{{"alt", kVersion},
                                        {"name", request.name},
                                        {"workload", workload::Print(request.workload)},
                                        {"target", target::PrintTarget(request.target)},
                                        {"layouts", layouts},
                                        {"tensors", tensors},
                                        {"alignment_bytes", AlignmentBytes(kernel)},
                                        {"workspace_bytes", workspace_bytes},
                                        {"candidate", workload::Print(request.candidate)},
                                        {"origin", request.origin}};
  // The origin has names of files, which may be any bytes; JSON may not.
  return metadata.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string NameFromPath(const std::string& path) {
  std::string out = path.substr(path.find_last_of('/') + 1);
  out = out.substr(0, out.find_last_of('.'));
  for (char& c : out) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  if (out.empty() || absl::ascii_isdigit(static_cast<unsigned char>(out[0]))) {
    out.insert(0, "kernel_");
  }
  return out;
}

absl::StatusOr<ExportDescription> ReadMetadata(absl::string_view json) {
  // Exceptions of the library end here.
  try {
    const auto value = nlohmann::json::parse(json.begin(), json.end());
    if (value.at("alt").get<int>() != kVersion) {
      return absl::UnimplementedError("the metadata is of another version of alt");
    }
    ExportDescription out;
    out.name = value.at("name").get<std::string>();
    out.workspace_bytes = value.at("workspace_bytes").get<int64_t>();
    ALT_ASSIGN_OR_RETURN(out.workload, workload::Parse(value.at("workload").get<std::string>()));
    ALT_ASSIGN_OR_RETURN(out.target, target::ParseTarget(value.at("target").get<std::string>()));
    for (const auto& tensor : value.at("tensors")) {
      out.tensors.push_back({.name = tensor.at("name").get<std::string>(),
                             .role = tensor.at("role").get<std::string>(),
                             .layout = tensor.at("layout").get<std::string>(),
                             .plain_shape = tensor.at("plain_shape").get<std::vector<int64_t>>(),
                             .shape = tensor.at("shape").get<std::vector<int64_t>>(),
                             .pack = tensor.at("pack").get<std::string>(),
                             .unpack = tensor.at("unpack").get<std::string>()});
    }
    return out;
  } catch (const nlohmann::json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat("not the metadata of a kernel: ", e.what()));
  }
}

}  // namespace alt::client
