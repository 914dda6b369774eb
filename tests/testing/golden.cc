#include "tests/testing/golden.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/file.h"
#include "tests/testing/paths.h"

namespace alt::testing {
namespace {

// "line 3:\n- expected\n+ actual"
std::string FirstDifference(absl::string_view expected, absl::string_view actual) {
  const std::vector<absl::string_view> want = absl::StrSplit(expected, '\n');
  const std::vector<absl::string_view> got = absl::StrSplit(actual, '\n');
  size_t line = 0;
  while (line < want.size() && line < got.size() && want[line] == got[line]) ++line;
  return absl::StrCat("line ", line + 1, ":\n- ", line < want.size() ? want[line] : "(end)", "\n+ ",
                      line < got.size() ? got[line] : "(end)");
}

::testing::AssertionResult Update(const std::string& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const absl::Status status = base::WriteFileAtomically(path, text);
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.ToString();
}

}  // namespace

::testing::AssertionResult MatchesGoldenIn(const std::string& golden_dir, bool update,
                                           const std::string& suite, const std::string& name,
                                           absl::string_view actual) {
  const std::string path = absl::StrCat(golden_dir, "/", suite, "/", name, ".txt");
  const std::string text = absl::StrCat(actual, absl::EndsWith(actual, "\n") ? "" : "\n");
  if (update) return Update(path, text);
  const absl::StatusOr<std::string> expected = base::ReadFile(path);
  if (!expected.ok()) {
    return ::testing::AssertionFailure()
           << expected.status().ToString() << "\nwrite it with ALT_UPDATE_GOLDEN=1; it would be:\n"
           << text;
  }
  if (*expected == text) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << path << " differs at " << FirstDifference(*expected, text)
                                       << "\nif that is intended: ALT_UPDATE_GOLDEN=1";
}

::testing::AssertionResult MatchesGolden(const std::string& suite, const std::string& name,
                                         absl::string_view actual) {
  const char* update = std::getenv("ALT_UPDATE_GOLDEN");
  return MatchesGoldenIn(SourceDir() + "/tests/golden", update != nullptr && *update == '1', suite,
                         name, actual);
}

}  // namespace alt::testing
