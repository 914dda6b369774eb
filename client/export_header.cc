#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/kernel_export.h"

namespace alt::client {
namespace {

// The part of common/runtime/kernel_abi.h that a caller needs; several headers may be included
// together.
constexpr char kPool[] = R"(#ifndef ALT_POOL_DEFINED
#define ALT_POOL_DEFINED
/* Runs iterations [begin, end) of a parallel loop on the thread numbered `thread`. */
typedef void (*alt_loop_body)(void* context, int64_t begin, int64_t end, int thread);
/* A thread pool of the caller's. NULL in its place: everything runs on the calling thread. */
typedef struct alt_pool {
  int threads;
  /* Runs body over [0, n), each iteration once, and returns when all are done. */
  void (*parallel_for)(struct alt_pool* pool, alt_loop_body body, void* context, int64_t n);
} alt_pool;
#endif
)";

int64_t Product(const std::vector<int64_t>& shape) {
  int64_t out = 1;
  for (const int64_t extent : shape) out *= extent;
  return out;
}

std::string Declaration(absl::string_view result, const std::string& symbol,
                        const std::string& params) {
  return absl::StrCat(result, " ", symbol, "(", params, ", void* workspace, alt_pool* pool);\n");
}

// Constants, and what is said once for all functions.
std::string Rules(const ExportRequest& request, const KernelExport& kernel,
                  const std::string& upper, int64_t workspace_bytes) {
  return absl::StrCat(
      "\n/* What every pointer given to ", request.name, "_run and ", request.name,
      "_call is aligned to. The pack and\n   unpack functions take any float*. Tensors do not "
      "overlap. */\n#define ",
      upper, "_ALIGNMENT ", AlignmentBytes(kernel),
      "\n/* What both return instead of 0, having done nothing, when a pointer is not",
      request.check_alignment ? ". */" : ":\n   never, the check was left out (--unchecked). */",
      "\n#define ", upper, "_UNALIGNED ", codegen::kUnaligned,
      "\n/* Bytes of workspace for each thread: NULL will do when 0. Thread t uses the slice at\n"
      "   t * this. */\n#define ",
      upper, "_WORKSPACE_BYTES ", workspace_bytes, "\n\n");
}

}  // namespace

std::string ExportHeader(const ExportRequest& request, const KernelExport& kernel,
                         int64_t workspace_bytes) {
  const std::string upper = absl::AsciiStrToUpper(request.name);
  std::string out =
      absl::StrCat("/* Made by `alt compile`.\n   workload  ", workload::Print(request.workload),
                   "\n   target    ", target::PrintTarget(request.target), "\n");
  for (const auto& [key, value] : request.origin)
    absl::StrAppend(&out, "   ", key, "  ", value, "\n");
  absl::StrAppend(&out, "*/\n#ifndef ALT_", upper, "_H_\n#define ALT_", upper,
                  "_H_\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" "
                  "{\n#endif\n\n",
                  kPool, Rules(request, kernel, upper, workspace_bytes));
  std::vector<std::string> params;
  for (const ExportedTensor& tensor : kernel.tensors) {
    absl::StrAppend(&out, "/* ", tensor.name, ": ", tensor.role, ", plain [",
                    absl::StrJoin(tensor.plain_shape, "]["), "], here [",
                    absl::StrJoin(tensor.shape, "]["), "]\n   layout ",
                    tensor.layout.empty() ? "plain" : tensor.layout, " */\n#define ", upper, "_",
                    absl::AsciiStrToUpper(tensor.name), "_ELEMENTS ", Product(tensor.shape), "\n");
    absl::StrAppend(&out, Declaration("void", tensor.pack, "const float* plain, float* packed"));
    if (!tensor.unpack.empty()) {
      absl::StrAppend(&out,
                      Declaration("void", tensor.unpack, "const float* packed, float* plain"));
    }
    params.push_back(
        absl::StrCat(tensor.role == "output" ? "float* " : "const float* ", tensor.name));
  }
  absl::StrAppend(&out, "\n",
                  Declaration("int32_t", request.name + "_run", absl::StrJoin(params, ", ")),
                  "/* The same: the parameters before workspace, in order, in an array. */\n",
                  Declaration("int32_t", request.name + "_call", "void* const* tensors"),
                  "\n/* JSON: workload, target, layouts, tensors. */\nextern const char ",
                  request.name, "_metadata[];\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
  return out;
}

}  // namespace alt::client
