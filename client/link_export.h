// From the code generator's object to the files of `alt compile`, by the assembler and the linker.
#ifndef CLIENT_LINK_EXPORT_H_
#define CLIENT_LINK_EXPORT_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::client {

struct LinkRequest {
  std::string object;                          // of the code generator
  std::map<std::string, std::string> aliases;  // exported name -> name in the object
  std::string metadata_symbol;
  std::string metadata;
  std::string search_path;  // PATH: where `as` and `ld` are
  std::string temp_dir;
};

// Assembler text of the metadata, and of the aliases when they are in the same file.
std::string MetadataAssembly(absl::string_view symbol, absl::string_view metadata);
std::string AliasAssembly(const std::map<std::string, std::string>& aliases);

// The object with aliases and metadata added. NotFound when binutils are missing.
absl::StatusOr<std::string> LinkObject(const LinkRequest& request);

// The name of the only exported symbol of a shared object that ends so; NotFound, or
// InvalidArgument for what is no ELF file.
absl::StatusOr<std::string> FindDynamicSymbol(absl::string_view file, absl::string_view ending);

}  // namespace alt::client

#endif  // CLIENT_LINK_EXPORT_H_
