#include "client/loaded_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <limits>

#include "common/base/check.h"

namespace alt::client {

absl::StatusOr<std::unique_ptr<LoadedLibrary>> LoadedLibrary::Open(const std::string& path) {
  // A path without a slash would be searched for.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::InvalidArgumentError(dlerror());
  return std::unique_ptr<LoadedLibrary>(new LoadedLibrary(handle));
}

LoadedLibrary::~LoadedLibrary() { dlclose(handle_); }

void* LoadedLibrary::Address(const std::string& symbol) const {
  return dlsym(handle_, symbol.c_str());
}

Floats AllocateFloats(int64_t elements) {
  const size_t bytes = (static_cast<size_t>(std::max<int64_t>(elements, 1)) * 4 + 63) / 64 * 64;
  Floats out(static_cast<float*>(std::aligned_alloc(64, bytes)));
  ALT_CHECK(out != nullptr) << "out of memory: " << bytes << " bytes";
  std::fill_n(out.get(), bytes / 4, std::numeric_limits<float>::quiet_NaN());
  return out;
}

int64_t Elements(const std::vector<int64_t>& shape) {
  int64_t out = 1;
  for (const int64_t extent : shape) out *= extent;
  return out;
}

}  // namespace alt::client
