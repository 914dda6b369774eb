// Where a test finds what it needs, whatever its working directory.
#ifndef TESTS_TESTING_PATHS_H_
#define TESTS_TESTING_PATHS_H_

#include <string>

namespace alt::testing {

// The root of the source tree; tests only read from it (golden.h writes when asked to).
std::string SourceDir();
// The directory that holds alt, alt-server, alt-worker and alt-runner of this build.
std::string BinDir();

// A fresh empty directory, removed with what is in it at the end.
class TempDir {
 public:
  TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::string& path() const { return path_; }
  // path() / name
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace alt::testing

#endif  // TESTS_TESTING_PATHS_H_
