#include "tests/worker/c_kernel.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/child_process.h"
#include "common/base/file.h"
#include "tests/testing/paths.h"

namespace alt::testing {
namespace {

constexpr char kHead[] = R"(
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/runtime/kernel_abi.h"
)";
constexpr char kFunction[] =
    "void kernel_call(void* const* params, void* workspace, alt_pool* pool)";

std::string Compile(const std::string& source, const std::string& kind) {
  TempDir dir;
  ALT_CHECK_OK(base::WriteFileAtomically(dir.File("kernel.c"), source));
  const auto result =
      base::RunCommand({"/usr/bin/cc", kind, "-fPIC", "-O1", "-w", absl::StrCat("-I", SourceDir()),
                        dir.File("kernel.c"), "-o", dir.File("kernel.out")},
                       absl::Seconds(60));
  ALT_CHECK_OK(result);
  ALT_CHECK(result->exit.ok()) << result->output;
  const absl::StatusOr<std::string> object = base::ReadFile(dir.File("kernel.out"));
  ALT_CHECK_OK(object);
  return *object;
}

std::string CompileOnce(const std::string& body, const std::string& prologue,
                        const std::string& kind) {
  static auto& compiled = *new std::map<std::string, std::string>();
  const std::string source = absl::StrCat(kHead, prologue, "\n", kFunction, " {\n", body, "\n}\n");
  const std::string key = kind + source;
  auto found = compiled.find(key);
  if (found == compiled.end()) found = compiled.emplace(key, Compile(source, kind)).first;
  return found->second;
}

}  // namespace

std::string CompileCKernel(const std::string& body, const std::string& prologue) {
  return CompileOnce(body, prologue, "-shared");
}

std::string CompileCObject(const std::string& body, const std::string& prologue) {
  return CompileOnce(body, prologue, "-c");
}

}  // namespace alt::testing
