// A shared object in this process, and memory that kernels may be given.
#ifndef CLIENT_LOADED_LIBRARY_H_
#define CLIENT_LOADED_LIBRARY_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace alt::client {

class LoadedLibrary {
 public:
  // InvalidArgument with the loader's own words.
  static absl::StatusOr<std::unique_ptr<LoadedLibrary>> Open(const std::string& path);
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;
  ~LoadedLibrary();

  // A pointer to a function or to an object. InvalidArgument when there is none of that name.
  template <typename T>
  absl::StatusOr<T> Find(const std::string& symbol) const {
    void* const address = Address(symbol);
    if (address != nullptr) return reinterpret_cast<T>(address);
    return absl::InvalidArgumentError(absl::StrCat("the library has no symbol ", symbol));
  }

 private:
  explicit LoadedLibrary(void* handle) : handle_(handle) {}
  void* Address(const std::string& symbol) const;
  void* const handle_;
};

struct FreeFloats {
  void operator()(float* p) const { std::free(p); }
};
// 64-byte aligned; what nobody writes stays not a number.
using Floats = std::unique_ptr<float[], FreeFloats>;
Floats AllocateFloats(int64_t elements);

int64_t Elements(const std::vector<int64_t>& shape);

}  // namespace alt::client

#endif  // CLIENT_LOADED_LIBRARY_H_
