#ifndef COMMON_CODEGEN_LINK_H_
#define COMMON_CODEGEN_LINK_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::codegen {

struct LinkOptions {
  std::string linker;  // path of the program, from FindLinker
  // For two short-lived files. Empty: /dev/shm where that can be written, else /tmp. A link takes
  // 2 ms there and 10 in a /tmp on a container's overlay file system.
  std::string temp_dir;
};

// The first linker in the directories of `search_path` (the value of PATH). GNU ld goes before lld:
// it links one kernel in 3 ms, lld, which loads libLLVM first, in 19 (2 cores of Zen 4).
absl::StatusOr<std::string> FindLinker(absl::string_view search_path);

// Turns a relocatable object (Artifact::object) into the bytes of a shared object for dlopen.
// FailedPrecondition when the object needs a symbol other than memcpy, memmove and memset: the
// libraries of whoever loads it are not ours to rely on. InvalidArgument when it is no object.
// Internal with the linker's words when it refuses the object. Every other code is a fault of the
// host (no room, descriptors, memory, linker), which says nothing about the object. Thread-safe.
absl::StatusOr<std::string> LinkSharedObject(const std::string& object, const LinkOptions& options);

// Removes what links of processes that were killed have left there.
void SweepLinkFolders(const LinkOptions& options);

}  // namespace alt::codegen

#endif  // COMMON_CODEGEN_LINK_H_
