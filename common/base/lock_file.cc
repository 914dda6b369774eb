#include "common/base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/host_name.h"
#include "common/base/status_macros.h"

namespace alt::base {
namespace {

// One write of always the same length: a reader never meets the end of a longer, older text.
constexpr size_t kWidth = 1024;

absl::Status ErrnoStatus(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

struct flock WholeFile(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", absl::string_view(&c, 1));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += '?';  // no host and no address has one
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Print(const LockHolder& holder) {
  return absl::StrCat("{\"pid\": ", holder.pid, ", \"host\": ", JsonString(holder.host),
                      ", \"address\": ", JsonString(holder.address), "}");
}

// The text after `"key": `, or nothing.
absl::string_view After(absl::string_view text, absl::string_view key) {
  const std::string label = absl::StrCat("\"", key, "\": ");
  const size_t at = text.find(label);
  return at == absl::string_view::npos ? absl::string_view() : text.substr(at + label.size());
}

bool ParseString(absl::string_view text, std::string* out) {
  if (!absl::StartsWith(text, "\"")) return false;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return true;
    if (text[i] == '\\' && ++i == text.size()) return false;
    *out += text[i];
  }
  return false;
}

bool Parse(absl::string_view text, LockHolder* holder) {
  const absl::string_view pid = After(text, "pid");
  return absl::SimpleAtoi(pid.substr(0, pid.find(',')), &holder->pid) &&
         ParseString(After(text, "host"), &holder->host) &&
         ParseString(After(text, "address"), &holder->address);
}

}  // namespace

std::string LockHolder::ToString() const {
  return absl::StrCat("pid ", pid, " on ", host,
                      address.empty() ? std::string(", which is starting or stopping")
                                      : absl::StrCat(" at ", address));
}

absl::StatusOr<std::unique_ptr<LockFile>> LockFile::Take(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return ErrnoStatus("open lock file", path);
  struct flock lock = WholeFile(F_WRLCK);
  if (fcntl(fd.get(), F_OFD_SETLK, &lock) != 0) {
    if (errno != EAGAIN && errno != EACCES) return ErrnoStatus("lock", path);
    const absl::StatusOr<LockHolder> holder = ReadLockHolder(path);
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is held by ", holder.ok() ? holder->ToString() : std::string("another process")));
  }
  auto file = std::unique_ptr<LockFile>(
      new LockFile(std::move(fd), {.pid = getpid(), .host = HostName(), .address = ""}));
  ALT_RETURN_IF_ERROR(file->Write());
  return file;
}

LockFile::~LockFile() {
  // Who looks between our end and the next holder's start reads nothing rather than us.
  if (ftruncate(fd_.get(), 0) != 0) return;
}

absl::Status LockFile::SetAddress(absl::string_view address) {
  self_.address = std::string(address);
  return Write();
}

absl::Status LockFile::Write() {
  std::string text = Print(self_);
  if (text.size() >= kWidth) {
    return absl::InvalidArgumentError(absl::StrCat("too long for a lock file: ", self_.address));
  }
  text.resize(kWidth - 1, ' ');
  text += '\n';
  const ssize_t written = pwrite(fd_.get(), text.data(), text.size(), 0);
  if (written == static_cast<ssize_t>(text.size())) return absl::OkStatus();
  if (written >= 0) errno = ENOSPC;
  return absl::ErrnoToStatus(errno, "write lock file");
}

absl::StatusOr<LockHolder> ReadLockHolder(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid() && errno == ENOENT) return absl::NotFoundError(absl::StrCat(path, ": no holder"));
  if (!fd.valid()) return ErrnoStatus("open lock file", path);
  struct flock lock = WholeFile(F_RDLCK);
  if (fcntl(fd.get(), F_OFD_GETLK, &lock) != 0) return ErrnoStatus("ask for the lock of", path);
  if (lock.l_type == F_UNLCK) return absl::NotFoundError(absl::StrCat(path, ": no holder"));
  char text[kWidth];
  const ssize_t n = pread(fd.get(), text, sizeof(text), 0);
  if (n < 0) return ErrnoStatus("read lock file", path);
  LockHolder holder;
  if (!Parse(absl::string_view(text, static_cast<size_t>(n)), &holder)) {
    return absl::UnavailableError(absl::StrCat(path, ": the holder has not yet said who it is"));
  }
  return holder;
}

}  // namespace alt::base
