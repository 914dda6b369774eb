#include "server/store/file_system.h"

#include <errno.h>
#include <sys/vfs.h>

#include "absl/strings/str_cat.h"

namespace alt::store {
namespace {

struct Magic {
  uint32_t value;
  absl::string_view name;
};
// From statfs(2) and the kernel's headers. FUSE is not here: it may be local or not.
constexpr Magic kNetwork[] = {
    {0x6969, "nfs"},      {0x517b, "smb"},        {0xfe534d42, "smb2"}, {0xff534d42, "cifs"},
    {0x5346414f, "afs"},  {0x6b414653, "kafs"},   {0x73757245, "coda"}, {0x00c36400, "ceph"},
    {0x01021997, "9p"},   {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"}, {0x7461636f, "ocfs2"},
    {0x01161970, "gfs2"}, {0x564c, "ncp"},
};

}  // namespace

absl::string_view NetworkFileSystemName(int64_t magic) {
  for (const Magic& known : kNetwork) {
    // The field is signed and of another width on some machines.
    if (known.value == static_cast<uint32_t>(magic)) return known.name;
  }
  return "";
}

absl::Status CheckLocalFileSystem(const std::string& path) {
  struct statfs info;
  if (statfs(path.c_str(), &info) != 0) {
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (statfs(folder.c_str(), &info) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("look at the folder of ", path));
    }
  }
  const absl::string_view name = NetworkFileSystemName(static_cast<int64_t>(info.f_type));
  if (name.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path, " is on ", name, ", a network file system, where a database is not safe; choose a ",
      "folder on a local disk"));
}

}  // namespace alt::store
