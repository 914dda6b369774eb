#include "common/codegen/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::codegen {
namespace {

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("read ELF object: ", what));
}

// Copies a T at `offset`; objects come from outside and may lie unaligned in the string.
template <typename T>
absl::Status ReadAt(absl::string_view object, uint64_t offset, T* out) {
  if (offset > object.size() || object.size() - offset < sizeof(T)) return Malformed("cut short");
  std::memcpy(out, object.data() + offset, sizeof(T));
  return absl::OkStatus();
}

absl::StatusOr<Elf64_Ehdr> ReadHeader(absl::string_view object) {
  Elf64_Ehdr header;
  ALT_RETURN_IF_ERROR(ReadAt(object, 0, &header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Malformed("no ELF magic");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return Malformed("not of 64 bits");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) return Malformed("not little-endian");
  if (header.e_type != ET_REL && header.e_type != ET_DYN) {
    return Malformed("neither relocatable nor shared");
  }
  return header;
}

absl::StatusOr<Elf64_Shdr> ReadSection(absl::string_view object, const Elf64_Ehdr& header,
                                       uint64_t index) {
  if (index >= header.e_shnum) return Malformed(absl::StrCat("no section ", index));
  Elf64_Shdr section;
  ALT_RETURN_IF_ERROR(ReadAt(object, header.e_shoff + index * sizeof(Elf64_Shdr), &section));
  const bool has_bytes = section.sh_type != SHT_NOBITS;
  if (has_bytes &&
      (section.sh_offset > object.size() || object.size() - section.sh_offset < section.sh_size)) {
    return Malformed(absl::StrCat("section ", index, " is cut short"));
  }
  return section;
}

absl::Status AddSymbols(absl::string_view object, const Elf64_Shdr& table, absl::string_view names,
                        ElfSymbols* out) {
  // The first symbol is reserved and means nothing.
  for (uint64_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= table.sh_size;
       at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    ALT_RETURN_IF_ERROR(ReadAt(object, table.sh_offset + at, &symbol));
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    if (symbol.st_name >= names.size()) return Malformed("symbol name outside its table");
    const absl::string_view rest = names.substr(symbol.st_name);
    std::string name(rest.substr(0, rest.find('\0')));
    if (symbol.st_shndx == SHN_UNDEF) {
      out->undefined.push_back(std::move(name));
    } else if (ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT) {
      out->exported.push_back(std::move(name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ElfSymbols> ReadElfSymbols(absl::string_view object) {
  ALT_ASSIGN_OR_RETURN(const Elf64_Ehdr header, ReadHeader(object));
  const uint32_t wanted = header.e_type == ET_DYN ? SHT_DYNSYM : SHT_SYMTAB;
  ElfSymbols symbols;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    ALT_ASSIGN_OR_RETURN(const Elf64_Shdr section, ReadSection(object, header, i));
    if (section.sh_type != wanted) continue;
    ALT_ASSIGN_OR_RETURN(const Elf64_Shdr strings, ReadSection(object, header, section.sh_link));
    const absl::string_view names = object.substr(strings.sh_offset, strings.sh_size);
    ALT_RETURN_IF_ERROR(AddSymbols(object, section, names, &symbols));
  }
  std::sort(symbols.undefined.begin(), symbols.undefined.end());
  std::sort(symbols.exported.begin(), symbols.exported.end());
  return symbols;
}

}  // namespace alt::codegen
