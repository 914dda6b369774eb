#include "common/codegen/link.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "common/codegen/elf_symbols.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "tests/common/codegen/loaded_kernel.h"
#include "tests/testing/status_matchers.h"

namespace alt::testing {
namespace {

using absl::StatusCode;

std::string Linker() {
  auto linker = codegen::FindLinker(std::getenv("PATH"));
  return linker.ok() ? *linker : "";
}

// y[0] = 1, as an object.
std::string SmallObject() {
  ir::Buffer y = ir::MakeBuffer("y", {4});
  const ir::Module module{{{"one", {y}, ir::Store(y, {0}, ir::FloatImm(1))}}};
  auto codegen = codegen::CreateLlvmCodegen(HostCpu());
  auto artifact = (*codegen)->Compile(module);
  return artifact.ok() ? artifact->object : artifact.status().ToString();
}

// The object with the defined symbol `name` renamed, to one of the same length.
std::string Renamed(std::string object, const std::string& name, const std::string& other) {
  const size_t at = object.find(name);
  EXPECT_NE(at, std::string::npos);
  return object.replace(at, name.size(), other);
}

// Makes a defined global symbol an undefined one.
void UndefineSymbol(const std::string& name, std::string* object) {
  Elf64_Ehdr header;
  std::memcpy(&header, object->data(), sizeof(header));
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    std::memcpy(&table, object->data() + header.e_shoff + i * sizeof(table), sizeof(table));
    if (table.sh_type != SHT_SYMTAB) continue;
    std::memcpy(&strings, object->data() + header.e_shoff + table.sh_link * sizeof(strings),
                sizeof(strings));
    for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      char* place = object->data() + table.sh_offset + at;
      std::memcpy(&symbol, place, sizeof(symbol));
      if (object->data() + strings.sh_offset + symbol.st_name != name) continue;
      symbol.st_shndx = SHN_UNDEF;
      std::memcpy(place, &symbol, sizeof(symbol));
    }
  }
}

TEST(LinkTest, SharedObjectExportsTheEntryPoints) {
  ALT_ASSERT_OK_AND_ASSIGN(std::string linked,
                           codegen::LinkSharedObject(SmallObject(), {.linker = Linker()}));
  ALT_ASSERT_OK_AND_ASSIGN(LoadedObject object, LoadedObject::Load(linked));
  EXPECT_NE(object.Find("one_call"), nullptr);
  EXPECT_NE(object.Find("one_run"), nullptr);
  EXPECT_EQ(object.Find("two_run"), nullptr);
}

TEST(LinkTest, SameObjectGivesTheSameBytes) {
  const std::string object = SmallObject();
  ALT_ASSERT_OK_AND_ASSIGN(std::string first,
                           codegen::LinkSharedObject(object, {.linker = Linker()}));
  ALT_ASSERT_OK_AND_ASSIGN(std::string second,
                           codegen::LinkSharedObject(object, {.linker = Linker()}));
  EXPECT_EQ(first, second);
}

TEST(LinkTest, LldServesAsWell) {
  const std::string lld = "/usr/bin/ld.lld-19";
  if (access(lld.c_str(), X_OK) != 0) GTEST_SKIP() << "no lld";
  ALT_ASSERT_OK_AND_ASSIGN(std::string linked,
                           codegen::LinkSharedObject(SmallObject(), {.linker = lld}));
  ALT_ASSERT_OK_AND_ASSIGN(LoadedObject object, LoadedObject::Load(linked));
  EXPECT_NE(object.Find("one_call"), nullptr);
}

TEST(LinkTest, ForeignSymbolIsRefused) {
  std::string object = SmallObject();
  ALT_ASSERT_OK_AND_ASSIGN(codegen::ElfSymbols symbols, codegen::ReadElfSymbols(object));
  ASSERT_TRUE(symbols.undefined.empty());
  UndefineSymbol("one_run", &object);
  EXPECT_TRUE(StatusIs(codegen::LinkSharedObject(object, {.linker = Linker()}),
                       StatusCode::kFailedPrecondition, "needs the symbol one_run"));
}

TEST(LinkTest, BlockCopiesMayBeCalled) {
  std::string object = Renamed(SmallObject(), "one_run", "memmove");
  UndefineSymbol("memmove", &object);
  ALT_EXPECT_OK(codegen::LinkSharedObject(object, {.linker = Linker()}));
}

TEST(LinkTest, NoObjectIsAnError) {
  EXPECT_TRUE(StatusIs(codegen::LinkSharedObject("nonsense", {.linker = Linker()}),
                       StatusCode::kInvalidArgument, "read ELF object"));
}

TEST(LinkTest, MissingLinkerIsNamed) {
  EXPECT_TRUE(StatusIs(codegen::LinkSharedObject(SmallObject(), {.linker = "/no/ld"}),
                       StatusCode::kNotFound, "/no/ld"));
}

TEST(LinkTest, LinkerThatFailsIsQuoted) {
  auto linked = codegen::LinkSharedObject(SmallObject(), {.linker = "/bin/false"});
  EXPECT_TRUE(StatusIs(linked, StatusCode::kInternal, "exit code 1"));
}

TEST(LinkTest, MissingDirectoryIsNamed) {
  EXPECT_FALSE(
      codegen::LinkSharedObject(SmallObject(), {.linker = Linker(), .temp_dir = "/no/such/dir"})
          .ok());
}

TEST(LinkTest, NoLinkerInPathSaysWhatToInstall) {
  EXPECT_TRUE(StatusIs(codegen::FindLinker("/no:/where"), StatusCode::kNotFound, "binutils"));
  EXPECT_TRUE(StatusIs(codegen::FindLinker(""), StatusCode::kNotFound));
}

}  // namespace
}  // namespace alt::testing
