#include "common/base/fingerprint.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"
#include "common/base/check.h"

namespace alt::base {

std::string Sha256Hex(absl::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  ALT_CHECK_EQ(EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr), 1);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

}  // namespace alt::base
