#include "common/base/state_dir.h"

#include <pwd.h>
#include <unistd.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace alt::base {

std::string StateDir(absl::string_view xdg_state_home, absl::string_view home,
                     absl::string_view user_home) {
  if (absl::StartsWith(xdg_state_home, "/")) return absl::StrCat(xdg_state_home, "/alt");
  for (const absl::string_view folder : {home, user_home}) {
    if (absl::StartsWith(folder, "/")) return absl::StrCat(folder, "/.local/state/alt");
  }
  return "";
}

std::string UserHome() {
  std::vector<char> strings(16 << 10);
  passwd entry = {};
  passwd* found = nullptr;
  if (getpwuid_r(getuid(), &entry, strings.data(), strings.size(), &found) != 0) return "";
  return found == nullptr || found->pw_dir == nullptr ? "" : found->pw_dir;
}

}  // namespace alt::base
