#include "worker/measure/lock_holder.h"

#include <sys/stat.h>

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/file.h"

namespace alt::worker {
namespace {

// Of a line of /proc/locks, "1: FLOCK  ADVISORY  WRITE 812 08:01:131072 0 EOF", the process; 0 when
// it is about another file or a process that waits ("1: -> FLOCK ..."). The device is not compared:
// what overlay file systems tell about it differs from place to place.
pid_t HolderIn(absl::string_view line, ino_t inode) {
  const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (fields.size() < 6 || fields[1] != "FLOCK") return 0;
  const std::vector<absl::string_view> file = absl::StrSplit(fields[5], ':');
  uint64_t number = 0;
  pid_t pid = 0;
  if (file.size() != 3 || !absl::SimpleAtoi(file[2], &number) || number != inode) return 0;
  return absl::SimpleAtoi(fields[4], &pid) ? pid : 0;
}

std::string FileOf(pid_t pid, absl::string_view name) {
  return base::ReadFile(absl::StrCat("/proc/", pid, "/", name)).value_or("");
}

// "812 (name, which may hold anything) T 1 ..."
bool IsStopped(absl::string_view stat) {
  const size_t end = stat.rfind(") ");
  return end != absl::string_view::npos && end + 2 < stat.size() &&
         absl::ascii_tolower(static_cast<unsigned char>(stat[end + 2])) == 't';
}

}  // namespace

std::string LockHolder::ToString() const {
  const std::string what =
      absl::StrCat(program, !program.empty() && stopped ? ", " : "", stopped ? "stopped" : "");
  return absl::StrCat("pid ", pid, what.empty() ? "" : absl::StrCat(" (", what, ")"));
}

std::optional<LockHolder> FindLockHolder(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return std::nullopt;
  const std::string locks = base::ReadFile("/proc/locks").value_or("");
  for (const absl::string_view line : absl::StrSplit(locks, '\n')) {
    const pid_t pid = HolderIn(line, info.st_ino);
    if (pid <= 0) continue;
    return LockHolder{
        .pid = pid,
        .program = std::string(absl::StripAsciiWhitespace(FileOf(pid, "comm"))),
        .stopped = IsStopped(FileOf(pid, "stat")),
    };
  }
  return std::nullopt;
}

}  // namespace alt::worker
