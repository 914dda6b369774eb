#include "server/store/commit_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/store/checksum.h"

namespace alt::store {
namespace {

constexpr size_t kDigits = 16;
constexpr size_t kFields = 4;
constexpr size_t kBytes = kFields * (kDigits + 1);

int64_t ChecksumOf(const CommitMark::Value& value) {
  return Checksum().Add(value.id).Add(value.commits).Add(value.sequence).value();
}

}  // namespace

absl::StatusOr<CommitMark> CommitMark::Open(const std::string& db) {
  std::string path = absl::StrCat(db, ".mark");
  base::UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (fd.get() < 0) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  return CommitMark(std::move(fd), std::move(path));
}

std::optional<CommitMark::Value> CommitMark::Read() const {
  char bytes[kBytes];
  if (pread(fd_.get(), bytes, kBytes, 0) != static_cast<ssize_t>(kBytes)) return std::nullopt;
  std::array<int64_t, kFields> fields;
  for (size_t i = 0; i < kFields; ++i) {
    uint64_t number;
    const absl::string_view digits(bytes + i * (kDigits + 1), kDigits);
    if (!absl::SimpleHexAtoi(digits, &number)) return std::nullopt;
    fields[i] = static_cast<int64_t>(number);
  }
  const Value value{.id = fields[0], .commits = fields[1], .sequence = fields[2]};
  return ChecksumOf(value) == fields[3] ? std::optional(value) : std::nullopt;
}

absl::Status CommitMark::Write(const Value& value) {
  const std::string line = absl::StrFormat("%016x %016x %016x %016x\n", value.id, value.commits,
                                           value.sequence, ChecksumOf(value));
  if (pwrite(fd_.get(), line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    return absl::ErrnoToStatus(errno, absl::StrCat("write ", path_));
  }
  return absl::OkStatus();
}

}  // namespace alt::store
