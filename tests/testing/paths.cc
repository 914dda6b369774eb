#include "tests/testing/paths.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "common/base/check.h"

namespace alt::testing {

std::string SourceDir() { return ALT_SOURCE_DIR; }

std::string BinDir() { return ALT_BIN_DIR; }

TempDir::TempDir() {
  path_ = (std::filesystem::temp_directory_path() / "alt_test_XXXXXX").string();
  ALT_CHECK(mkdtemp(path_.data()) != nullptr) << path_;
}

TempDir::~TempDir() {
  std::error_code ignored;  // a test that took rights away from its own files has said why
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace alt::testing
