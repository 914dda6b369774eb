#include "common/codegen/link.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "common/base/child_process.h"
#include "common/base/file.h"
#include "common/base/scratch_folder.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "common/codegen/elf_symbols.h"

namespace alt::codegen {
namespace {

constexpr absl::Duration kLinkTimeout = absl::Seconds(30);
constexpr char kLinkFolderPrefix[] = "alt-link-";

std::string TempDirectory(const LinkOptions& options) {
  if (!options.temp_dir.empty()) return options.temp_dir;
  return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

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
  const base::UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("link: create ", path));
  return base::Annotate(base::WriteAll(fd.get(), object),
                        absl::StrCat("link: ", path, " (TMPDIR names another folder)"));
}

// The linker's words are compared with the system's own.
std::vector<std::string> EnvironmentInEnglish() {
  std::vector<std::string> variables = {"LC_ALL=C"};
  for (char** e = environ; *e != nullptr; ++e) {
    if (!absl::StartsWith(*e, "LC_ALL=")) variables.emplace_back(*e);
  }
  return variables;
}

// Whether a linker that failed met the limits of the host: no room, memory or descriptors left. All
// else that it says is about the object.
bool MetLimitsOfHost(const base::CommandResult& result) {
  if (result.exit.signaled) {
    // SIGBUS: a file system that was full when the linker wrote to its mapped output.
    const int signals[] = {SIGBUS, SIGKILL, SIGTERM, SIGXCPU, SIGXFSZ};
    return std::count(std::begin(signals), std::end(signals), result.exit.signal) > 0;
  }
  const int errors[] = {EACCES, EDQUOT, EFBIG,  EIO,   EMFILE, ENFILE,
                        ENOENT, ENOMEM, ENOSPC, EROFS, EAGAIN};
  return std::any_of(std::begin(errors), std::end(errors),
                     [&](int error) { return absl::StrContains(result.output, strerror(error)); });
}

// Codes that are about the object do not stand for a fault of the host.
absl::Status OfHost(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnimplemented:
      return absl::UnavailableError(status.message());
    default:
      return status;
  }
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

void SweepLinkFolders(const LinkOptions& options) {
  base::SweepScratchFolders(TempDirectory(options), kLinkFolderPrefix);
}

absl::StatusOr<std::string> LinkSharedObject(const std::string& object,
                                             const LinkOptions& options) {
  ALT_RETURN_IF_ERROR(CheckUndefinedSymbols(object));
  ALT_ASSIGN_OR_RETURN(const std::unique_ptr<base::ScratchFolder> scratch,
                       base::ScratchFolder::Create(TempDirectory(options), kLinkFolderPrefix),
                       OfHost(base::Annotate(_, "link (TMPDIR names another folder)")));
  const std::string input = scratch->File("kernel.o"), output = scratch->File("kernel.so");
  ALT_RETURN_IF_ERROR(OfHost(WriteInput(input, object)));
  const std::string attempt = absl::StrCat("link with ", options.linker);
  // -z now: nothing to resolve while a kernel is being timed. --build-id=none: the same object
  // gives the same bytes, and nobody debugs it by id.
  ALT_ASSIGN_OR_RETURN(
      const base::CommandResult result,
      base::RunCommand({.argv = {options.linker, "-shared", "-z", "now", "-z", "noexecstack",
                                 "--build-id=none", "-o", output, input},
                        .env = EnvironmentInEnglish()},
                       kLinkTimeout),
      OfHost(base::Annotate(_, attempt)));
  if (!result.exit.ok()) {
    const std::string message = absl::StrCat(attempt, ": ", result.exit.ToString(), ": ",
                                             absl::StripTrailingAsciiWhitespace(result.output));
    if (MetLimitsOfHost(result)) return absl::UnavailableError(message);
    return absl::InternalError(message);
  }
  absl::StatusOr<std::string> linked = base::ReadFile(output);
  if (!linked.ok()) return OfHost(base::Annotate(linked.status(), attempt));
  return linked;
}

}  // namespace alt::codegen
