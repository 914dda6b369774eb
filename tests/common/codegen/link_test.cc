#include "common/codegen/link.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "common/codegen/elf_symbols.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "tests/common/codegen/loaded_kernel.h"
#include "tests/testing/paths.h"
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
  EXPECT_TRUE(StatusIs(
      codegen::LinkSharedObject(SmallObject(), {.linker = Linker(), .temp_dir = "/no/such/dir"}),
      StatusCode::kNotFound, "/no/such/dir"));
}

// A program in the linker's place.
absl::Status LinkWith(const TempDir& dir, const std::string& script) {
  const std::string linker = dir.File("ld");
  ALT_EXPECT_OK(base::WriteFileAtomically(linker, absl::StrCat("#!/bin/sh\n", script, "\n")));
  EXPECT_EQ(chmod(linker.c_str(), 0755), 0);
  return codegen::LinkSharedObject(SmallObject(), {.linker = linker}).status();
}

TEST(LinkTest, LimitsOfTheHostAreNoFaultOfTheObject) {
  const TempDir dir;
  for (const char* words : {"No space left on device", "Too many open files",
                            "Cannot allocate memory", "Disk quota exceeded"}) {
    EXPECT_TRUE(StatusIs(LinkWith(dir, absl::StrCat("echo 'ld: kernel.so: ", words, "'; exit 1")),
                         StatusCode::kUnavailable, words));
  }
  EXPECT_TRUE(StatusIs(LinkWith(dir, "kill -BUS $$"), StatusCode::kUnavailable, "signal 7"));
  EXPECT_TRUE(StatusIs(LinkWith(dir, "kill -KILL $$"), StatusCode::kUnavailable, "signal 9"));
  EXPECT_TRUE(StatusIs(LinkWith(dir, "echo 'relocation truncated to fit'; exit 1"),
                       StatusCode::kInternal, "relocation"));
  EXPECT_TRUE(StatusIs(LinkWith(dir, "kill -SEGV $$"), StatusCode::kInternal, "signal 11"));
}

TEST(LinkTest, TheLinkerSpeaksEnglishWhateverTheUserSpeaks) {
  const TempDir dir;
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  EXPECT_TRUE(
      StatusIs(LinkWith(dir, "echo \"$LC_ALL\"; exit 1"), StatusCode::kInternal, "exit code 1: C"));
  unsetenv("LC_ALL");
}

// What a link says in a process that `limit` was applied to.
StatusCode LinkInChild(const std::string& object, __rlimit_resource resource, rlim_t limit) {
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit few = {limit, limit};
    setrlimit(resource, &few);
    const auto linked = codegen::LinkSharedObject(object, {.linker = Linker()});
    _exit(static_cast<int>(linked.status().code()));
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  return static_cast<StatusCode>(WEXITSTATUS(status));
}

TEST(LinkTest, WithoutDescriptorsOrRoomItIsTheHostsFault) {
  const std::string object = SmallObject();
  const auto about_the_object = [](StatusCode code) {
    return code == StatusCode::kInvalidArgument || code == StatusCode::kFailedPrecondition ||
           code == StatusCode::kInternal;
  };
  for (rlim_t files = 3; files < 12; ++files) {
    const StatusCode code = LinkInChild(object, RLIMIT_NOFILE, files);
    EXPECT_FALSE(about_the_object(code)) << files << " files: " << static_cast<int>(code);
  }
  for (rlim_t bytes : {0, 100}) {
    const StatusCode code = LinkInChild(object, RLIMIT_FSIZE, bytes);
    EXPECT_FALSE(about_the_object(code) || code == StatusCode::kOk) << bytes << " bytes";
  }
}

TEST(LinkTest, NoLinkerInPathSaysWhatToInstall) {
  EXPECT_TRUE(StatusIs(codegen::FindLinker("/no:/where"), StatusCode::kNotFound, "binutils"));
  EXPECT_TRUE(StatusIs(codegen::FindLinker(""), StatusCode::kNotFound));
}

}  // namespace
}  // namespace alt::testing
