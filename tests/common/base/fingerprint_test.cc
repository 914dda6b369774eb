#include "common/base/fingerprint.h"

#include <gtest/gtest.h>

namespace alt::base {
namespace {

// The vectors of FIPS 180-2.
TEST(FingerprintTest, AgreesWithThePublishedVectors) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace alt::base
