#include "common/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace alt::base {

CheckFailure::CheckFailure(const char* file, int line, const std::string& condition) {
  stream_ << file << ":" << line << " Check failed: " << condition << " ";
}

CheckFailure::~CheckFailure() {
  // Straight to stderr: the logger's own invariants may be what broke.
  std::fprintf(stderr, "%s\n", stream_.str().c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace alt::base
