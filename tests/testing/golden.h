// Golden files: the expected text of a test stands in tests/golden/<suite>/<name>.txt and is
// reviewed as code. ALT_UPDATE_GOLDEN=1 in the environment rewrites it from what the test computed.
//
//   EXPECT_TRUE(MatchesGolden("lower", "conv2d_nchw16c", Print(module)));
#ifndef TESTS_TESTING_GOLDEN_H_
#define TESTS_TESTING_GOLDEN_H_

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/string_view.h"

namespace alt::testing {

// Compares byte for byte; a newline is added to `actual` when its last line has none. On a
// difference the message shows the first line that differs and how to update.
::testing::AssertionResult MatchesGolden(const std::string& suite, const std::string& name,
                                         absl::string_view actual);

// The same with the directory and the switch given, for golden.h's own test.
::testing::AssertionResult MatchesGoldenIn(const std::string& golden_dir, bool update,
                                           const std::string& suite, const std::string& name,
                                           absl::string_view actual);

}  // namespace alt::testing

#endif  // TESTS_TESTING_GOLDEN_H_
