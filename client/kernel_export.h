// A tuned kernel as a C library: what functions it has, its header and its metadata.
//
//   <name>_run              the kernel, on tensors in their physical layouts
//   <name>_call             the same, tensors in an array
//   <name>_pack_<tensor>    plain tensor -> the layout that the kernel reads (or writes)
//   <name>_unpack_<tensor>  and back
//   <name>_metadata         JSON: what all this is
#ifndef CLIENT_KERNEL_EXPORT_H_
#define CLIENT_KERNEL_EXPORT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/codegen/codegen.h"
#include "common/ir/module.h"
#include "common/target/target.h"
#include "common/workload/candidate.h"

namespace alt::client {

struct ExportRequest {
  workload::Workload workload;
  target::Target target;
  workload::Candidate candidate;
  std::string name;                           // a C identifier
  std::map<std::string, std::string> origin;  // for people: source, record, ...
  bool check_alignment = true;  // <name>_run refuses pointers that it could not work on
};

// One parameter of <name>_run.
struct ExportedTensor {
  std::string name;                  // of the plain tensor that it is made of: x, w, y
  std::string role;                  // "input", "constant", "output"
  std::string layout;                // canonical text; "" is plain
  std::vector<int64_t> plain_shape;  // of the plain tensor
  std::vector<int64_t> shape;        // as the kernel has it
  std::string pack;                  // symbol
  std::string unpack;                // symbol; empty where there is no way back
};

struct KernelExport {
  ir::Module module;  // functions[0] is the kernel, then the packing functions
  std::vector<ExportedTensor> tensors;
};

absl::StatusOr<KernelExport> MakeKernelExport(const ExportRequest& request);

// The library in C, in one of the code generator's forms, and its header.
struct ExportedLibrary {
  std::string contents;
  std::string header;
};
absl::StatusOr<ExportedLibrary> MakeLibrary(const ExportRequest& request,
                                            const KernelExport& kernel, codegen::Codegen& codegen,
                                            codegen::LibraryForm form);

// The value of <name>_metadata.
std::string ExportMetadata(const ExportRequest& request, const KernelExport& kernel,
                           int64_t workspace_bytes);
std::string ExportHeader(const ExportRequest& request, const KernelExport& kernel,
                         int64_t workspace_bytes);

// The last part of a path without its ending, as a C identifier: "out/my-conv.so" -> "my_conv".
std::string NameFromPath(const std::string& path);

// What pointers given to <name>_run have to be aligned to.
inline int64_t AlignmentBytes(const KernelExport& kernel) {
  return kernel.module.functions[0].alignment_bytes;
}

// What the metadata says, read back. InvalidArgument when it is not ours.
struct ExportDescription {
  std::string name;
  workload::Workload workload;
  target::Target target;
  int64_t workspace_bytes = 0;
  std::vector<ExportedTensor> tensors;
};
absl::StatusOr<ExportDescription> ReadMetadata(absl::string_view json);

}  // namespace alt::client

#endif  // CLIENT_KERNEL_EXPORT_H_
