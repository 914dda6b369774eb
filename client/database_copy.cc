#include "client/database_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace alt::client {
namespace {

constexpr int kAttempts = 20;
// Its header has a salt that is drawn anew whenever the log starts from the front.
constexpr size_t kLogHeaderBytes = 32;

// Changes with every move of frames from the log into the file.
struct Version {
  std::tuple<dev_t, ino_t, off_t, int64_t, int64_t> file;
  std::string log_header;  // empty: no log

  bool operator==(const Version& other) const {
    return file == other.file && log_header == other.log_header;
  }
};

absl::StatusOr<Version> ReadVersion(const std::string& db) {
  struct stat info = {};
  if (stat(db.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, db);
  Version out{{info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec},
              ""};
  const std::string log = db + "-wal";
  const base::UniqueFd fd(open(log.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) return out;
  if (!fd.valid()) return absl::ErrnoToStatus(errno, log);
  char header[kLogHeaderBytes];
  const ssize_t n = pread(fd.get(), header, sizeof(header), 0);
  if (n < 0) return absl::ErrnoToStatus(errno, log);
  out.log_header.assign(header, static_cast<size_t>(n));
  return out;
}

absl::Status CopyFile(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  // The mode goes with the contents, and the copy is to be written.
  if (!error) std::filesystem::permissions(to, std::filesystem::perms{0600}, error);
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat("copy ", from, " to ", to));
  return absl::OkStatus();
}

}  // namespace

absl::Status CopyDatabase(const std::string& from, const std::string& to) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) absl::SleepFor(absl::Milliseconds(50));
    ALT_ASSIGN_OR_RETURN(const Version before, ReadVersion(from));
    ALT_RETURN_IF_ERROR(CopyFile(from, to));
    unlink((to + "-wal").c_str());
    if (!before.log_header.empty()) {
      const absl::Status log = CopyFile(from + "-wal", to + "-wal");
      if (absl::IsNotFound(log)) continue;  // the last one has closed it
      ALT_RETURN_IF_ERROR(log);
    }
    ALT_ASSIGN_OR_RETURN(const Version after, ReadVersion(from));
    if (before == after) return absl::OkStatus();
  }
  return absl::UnavailableError(
      absl::StrCat(from, " changes faster than it can be copied; ask the server that has it"));
}

}  // namespace alt::client
