#include "client/link_export.h"

#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "client/private_server.h"
#include "common/base/child_process.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"

namespace alt::client {
namespace {

constexpr absl::Duration kToolTimeout = absl::Seconds(60);

absl::StatusOr<std::string> FindTool(absl::string_view name, absl::string_view search_path) {
  for (const absl::string_view dir : absl::StrSplit(search_path, ':', absl::SkipEmpty())) {
    std::string path = absl::StrCat(dir, "/", name);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::NotFoundError(absl::StrCat("no program '", name, "' in PATH: install binutils"));
}

absl::Status RunTool(const std::vector<std::string>& argv) {
  ALT_ASSIGN_OR_RETURN(const base::CommandResult result, base::RunCommand(argv, kToolTimeout));
  if (result.exit.ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(argv[0], ": ", result.exit.ToString(), ": ",
                                          absl::StripAsciiWhitespace(result.output)));
}

// Reads plain structs out of a file's bytes.
class ElfFile {
 public:
  static absl::StatusOr<ElfFile> Open(absl::string_view bytes) {
    ElfFile file(bytes);
    const auto* header = file.At<Elf64_Ehdr>(0);
    if (header == nullptr || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_type != ET_DYN) {
      return absl::InvalidArgumentError("not a shared object");
    }
    return file;
  }

  template <typename T>
  const T* At(uint64_t offset, uint64_t index = 0) const {
    if (offset > bytes_.size() || index >= (bytes_.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset) + index;
  }
  const Elf64_Shdr* Section(uint64_t index) const {
    const auto* header = At<Elf64_Ehdr>(0);
    return index < header->e_shnum ? At<Elf64_Shdr>(header->e_shoff, index) : nullptr;
  }
  // A string of a string table; empty when out of bounds.
  absl::string_view String(const Elf64_Shdr& table, uint64_t index) const {
    const uint64_t start = table.sh_offset + index;
    if (table.sh_offset > bytes_.size() || start >= bytes_.size()) return "";
    const absl::string_view rest = bytes_.substr(start);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  explicit ElfFile(absl::string_view bytes) : bytes_(bytes) {}
  absl::string_view bytes_;
};

}  // namespace

std::string MetadataAssembly(absl::string_view symbol, absl::string_view metadata) {
  return absl::StrCat("\t.section .rodata,\"a\",@progbits\n\t.globl ", symbol, "\n\t.type ", symbol,
                      ",@object\n", symbol, ":\n\t.asciz \"", absl::CEscape(metadata),
                      "\"\n\t.size ", symbol, ", . - ", symbol,
                      "\n\t.section .note.GNU-stack,\"\",@progbits\n");
}

std::string AliasAssembly(const std::map<std::string, std::string>& aliases) {
  std::string out;
  for (const auto& [name, old] : aliases) {
    absl::StrAppend(&out, "\t.globl ", name, "\n\t.type ", name, ",@function\n\t.set ", name, ", ",
                    old, "\n");
  }
  return out;
}

absl::StatusOr<std::string> LinkObject(const LinkRequest& request) {
  ALT_ASSIGN_OR_RETURN(const std::string assembler, FindTool("as", request.search_path));
  ALT_ASSIGN_OR_RETURN(const std::string linker, FindTool("ld", request.search_path));
  ALT_ASSIGN_OR_RETURN(const auto folder, PrivateFolder::Create(request.temp_dir));
  ALT_RETURN_IF_ERROR(base::WriteFileAtomically(folder->File("kernel.o"), request.object));
  ALT_RETURN_IF_ERROR(base::WriteFileAtomically(
      folder->File("metadata.s"), MetadataAssembly(request.metadata_symbol, request.metadata)));
  ALT_RETURN_IF_ERROR(
      RunTool({assembler, "-o", folder->File("metadata.o"), folder->File("metadata.s")}));
  std::vector<std::string> link = {linker,
                                   "-r",
                                   "-o",
                                   folder->File("out.o"),
                                   folder->File("kernel.o"),
                                   folder->File("metadata.o")};
  for (const auto& [name, old] : request.aliases) {
    link.push_back(absl::StrCat("--defsym=", name, "=", old));
  }
  ALT_RETURN_IF_ERROR(RunTool(link));
  return base::ReadFile(folder->File("out.o"));
}

absl::StatusOr<std::string> FindDynamicSymbol(absl::string_view bytes, absl::string_view ending) {
  ALT_ASSIGN_OR_RETURN(const ElfFile file, ElfFile::Open(bytes));
  std::string found;
  for (uint64_t i = 0;; ++i) {
    const Elf64_Shdr* section = file.Section(i);
    if (section == nullptr) break;
    if (section->sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr* strings = file.Section(section->sh_link);
    if (strings == nullptr) continue;
    for (uint64_t k = 0; k < section->sh_size / sizeof(Elf64_Sym); ++k) {
      const auto* symbol = file.At<Elf64_Sym>(section->sh_offset, k);
      if (symbol == nullptr) break;
      const absl::string_view name = file.String(*strings, symbol->st_name);
      if (symbol->st_shndx == SHN_UNDEF || !absl::EndsWith(name, ending)) continue;
      if (!found.empty()) {
        return absl::InvalidArgumentError(absl::StrCat("several kernels: ", found, ", ", name));
      }
      found = std::string(name);
    }
  }
  if (found.empty()) return absl::NotFoundError(absl::StrCat("no symbol ends with ", ending));
  return found;
}

}  // namespace alt::client
