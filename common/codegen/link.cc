#include "common/codegen/link.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "common/base/child_process.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/codegen/elf_symbols.h"

namespace alt::codegen {
namespace {

constexpr absl::Duration kLinkTimeout = absl::Seconds(30);

std::string TempDirectory(const LinkOptions& options) {
  if (!options.temp_dir.empty()) return options.temp_dir;
  return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

// A directory of our own for the linker's input and output, gone with the object.
class ScratchDirectory {
 public:
  static absl::StatusOr<ScratchDirectory> Create(const std::string& parent) {
    std::string path = absl::StrCat(parent, "/alt-link-XXXXXX");
    if (mkdtemp(path.data()) == nullptr) {
      return absl::ErrnoToStatus(errno, absl::StrCat("link: create a directory in ", parent));
    }
    return ScratchDirectory(std::move(path));
  }
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ~ScratchDirectory() {
    if (path_.empty()) return;
    unlink(input().c_str());
    unlink(output().c_str());
    rmdir(path_.c_str());
  }

  std::string input() const { return path_ + "/kernel.o"; }
  std::string output() const { return path_ + "/kernel.so"; }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

absl::Status CheckUndefinedSymbols(const std::string& object) {
  ALT_ASSIGN_OR_RETURN(const ElfSymbols symbols, ReadElfSymbols(object));
  for (const std::string& name : symbols.undefined) {
    // What LLVM may call for block copies and fills; every process that loads a kernel has them.
    if (name == "memcpy" || name == "memmove" || name == "memset") continue;
    return absl::FailedPreconditionError(absl::StrCat("link: the object needs the symbol ", name,
                                                      ", kernels call only memcpy, "
                                                      "memmove and memset"));
  }
  return absl::OkStatus();
}

// Not synced to disk, unlike base::WriteFileAtomically: the file lives for milliseconds.
absl::Status WriteInput(const std::string& path, const std::string& object) {
  std::ofstream file(path, std::ios::binary);
  file.write(object.data(), static_cast<std::streamsize>(object.size()));
  file.close();
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat("link: write ", path));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> FindLinker(absl::string_view search_path) {
  for (const char* program : {"ld", "ld.bfd", "ld.lld-19", "ld.lld"}) {
    for (absl::string_view directory : absl::StrSplit(search_path, ':', absl::SkipEmpty())) {
      std::string path = absl::StrCat(directory, "/", program);
      if (access(path.c_str(), X_OK) == 0) return path;
    }
  }
  return absl::NotFoundError(absl::StrCat("no linker (ld, ld.bfd, ld.lld-19 or ld.lld) in ",
                                          search_path, ": install binutils or lld"));
}

absl::StatusOr<std::string> LinkSharedObject(const std::string& object,
                                             const LinkOptions& options) {
  ALT_RETURN_IF_ERROR(CheckUndefinedSymbols(object));
  ALT_ASSIGN_OR_RETURN(const ScratchDirectory scratch,
                       ScratchDirectory::Create(TempDirectory(options)));
  ALT_RETURN_IF_ERROR(WriteInput(scratch.input(), object));
  // -z now: nothing to resolve while a kernel is being timed. --build-id=none: the same object
  // gives the same bytes, and nobody debugs it by id.
  ALT_ASSIGN_OR_RETURN(
      const base::CommandResult result,
      base::RunCommand({options.linker, "-shared", "-z", "now", "-z", "noexecstack",
                        "--build-id=none", "-o", scratch.output(), scratch.input()},
                       kLinkTimeout),
      base::Annotate(_, absl::StrCat("link with ", options.linker)));
  if (!result.exit.ok()) {
    return absl::InternalError(absl::StrCat("link with ", options.linker, ": ",
                                            result.exit.ToString(), ": ",
                                            absl::StripTrailingAsciiWhitespace(result.output)));
  }
  return base::ReadFile(scratch.output());
}

}  // namespace alt::codegen
