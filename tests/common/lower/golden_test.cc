// The programs of the candidates written by hand, before unrolling: what the representation can
// say.

#include "tests/testing/golden.h"

#include "common/base/file.h"
#include "common/ir/printer.h"
#include "common/lower/lower.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::lower {
namespace {

class HandWrittenTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HandWrittenTest, LowersToItsGoldenProgram) {
  const std::string path = testing::SourceDir() + "/tests/perf/candidates/" + GetParam() + ".alt";
  ALT_ASSERT_OK_AND_ASSIGN(std::string text, base::ReadFile(path));
  ALT_ASSERT_OK_AND_ASSIGN(workload::CandidateFile file, workload::ParseCandidateFile(text));
  EXPECT_EQ(workload::Print(file), text) << "candidate files stand in their canonical text";
  ALT_ASSERT_OK_AND_ASSIGN(Kernel kernel, LowerToLoops(file.workload, file.candidate));
  EXPECT_TRUE(testing::MatchesGolden("lower", GetParam(), ir::Print(kernel.module)));
}

INSTANTIATE_TEST_SUITE_P(Candidates, HandWrittenTest,
                         ::testing::Values("direct_conv3x3", "matmul", "depthwise", "grouped",
                                           "winograd"));

}  // namespace
}  // namespace alt::lower
