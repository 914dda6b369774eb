#include "server/store/scratch_files.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/log.h"

namespace alt::store {
namespace {

constexpr char kInfix[] = ".copy-";

// PID-NUMBER, and what SQLite adds to it. Somebody's own alt.db.copy-monday is none.
bool IsScratch(absl::string_view rest) {
  const std::vector<absl::string_view> parts = absl::StrSplit(rest, '-');
  if (parts.size() < 2 || parts.size() > 3) return false;
  for (size_t i = 0; i < 2; ++i) {
    if (parts[i].empty() || parts[i].find_first_not_of("0123456789") != absl::string_view::npos) {
      return false;
    }
  }
  return parts.size() == 2 || parts[2] == "journal" || parts[2] == "wal" || parts[2] == "shm";
}

}  // namespace

std::string NewScratchFile(const std::string& db) {
  static std::atomic<int64_t> last{0};
  return absl::StrCat(db, kInfix, getpid(), "-", ++last);
}

void RemoveScratchFiles(const std::string& db) {
  const std::filesystem::path path(db);
  const std::string prefix = absl::StrCat(path.filename().string(), kInfix);
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator
           it(path.has_parent_path() ? path.parent_path() : ".", error),
       end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    absl::string_view rest = name;
    if (absl::ConsumePrefix(&rest, prefix) && IsScratch(rest)) found.push_back(it->path());
  }
  // What cannot be removed is in nobody's way but its own.
  for (const std::filesystem::path& copy : found) {
    if (std::filesystem::remove(copy, error)) {
      ALT_LOG(INFO) << "removed " << copy.string() << ", a copy that was broken off";
    }
  }
}

}  // namespace alt::store
