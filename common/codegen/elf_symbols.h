#ifndef COMMON_CODEGEN_ELF_SYMBOLS_H_
#define COMMON_CODEGEN_ELF_SYMBOLS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::codegen {

// What an ELF64 file of this machine's byte order says about its symbols, sorted: a relocatable
// object about all, a shared object about the dynamic ones.
struct ElfSymbols {
  std::vector<std::string> undefined;
  std::vector<std::string> exported;  // global and of default visibility
};

// InvalidArgument when `object` is no such file or is cut short.
absl::StatusOr<ElfSymbols> ReadElfSymbols(absl::string_view object);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_ELF_SYMBOLS_H_
