#include "client/cli/arguments.h"

#include <gtest/gtest.h>

#include "client/cli/cli_error.h"
#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::cli {
namespace {

using testing::StatusIs;
constexpr auto kUsage = absl::StatusCode::kInvalidArgument;

TEST(ReadFixTest, ReadsLayoutsByTensor) {
  WorkloadArguments arguments;
  arguments.workload = "conv2d:n=1,ic=32,ih=8,iw=8,oc=32,kh=3,kw=3";
  ALT_ASSERT_OK_AND_ASSIGN(const workload::Workload workload, arguments.ReadWorkload());
  arguments.fix = "x=plain,y=split(1,16) reorder(0,1,3,4,2)";
  ALT_ASSERT_OK_AND_ASSIGN(const job::FixedLayouts fix, arguments.ReadFix(workload));
  ASSERT_EQ(fix.size(), 2u);
  EXPECT_TRUE(fix.at("x").primitives.empty());
  EXPECT_EQ(layout::Print(fix.at("y")), "split(1,16) reorder(0,1,3,4,2)");
  arguments.fix = "";
  EXPECT_TRUE(arguments.ReadFix(workload)->empty());
}

TEST(ReadFixTest, RefusesWhatDoesNotApply) {
  WorkloadArguments arguments;
  arguments.workload = "matmul:m=8,n=8,k=8";
  ALT_ASSERT_OK_AND_ASSIGN(const workload::Workload workload, arguments.ReadWorkload());
  for (const char* fix : {"x=plain", "a", "a=split(9,2)", "a=blah", "a=plain,,b=plain"}) {
    arguments.fix = fix;
    EXPECT_TRUE(StatusIs(arguments.ReadFix(workload), kUsage)) << fix;
  }
}

TEST(ReadFixTest, TakesTheBlockFormToo) {
  WorkloadArguments arguments;
  arguments.workload = "conv2d:n=1,ic=32,ih=8,iw=8,oc=32,kh=3,kw=3";
  ALT_ASSERT_OK_AND_ASSIGN(const workload::Workload workload, arguments.ReadWorkload());
  arguments.fix = "x=N H W C,y=NCHW16c";
  ALT_ASSERT_OK_AND_ASSIGN(const job::FixedLayouts fix, arguments.ReadFix(workload));
  EXPECT_EQ(layout::Print(fix.at("x")), "reorder(0,2,3,1)");
  EXPECT_EQ(layout::Print(fix.at("y")), "split(1,16) reorder(0,1,3,4,2)");
  arguments.workload = "matmul:m=8,n=8,k=8";
  arguments.fix = "a=NCHW";
  const absl::Status status = arguments.ReadFix(*arguments.ReadWorkload()).status();
  EXPECT_NE(FormatError(status).find("M K"), std::string::npos) << FormatError(status);
}

TEST(ReadWorkloadTest, ANetworkIsNamedForWhatItIs) {
  WorkloadArguments arguments;
  arguments.workload = "model.onnx";
  const std::string text = FormatError(arguments.ReadWorkload().status());
  EXPECT_NE(text.find("networks are not read yet"), std::string::npos) << text;
  EXPECT_EQ(text.find("unknown operator"), std::string::npos) << text;
}

TEST(ReadWorkloadTest, ASlipOfPunctuationIsPutRight) {
  WorkloadArguments arguments;
  arguments.workload = "matmul m=8 n=8 k=8";
  EXPECT_NE(FormatError(arguments.ReadWorkload().status()).find("write matmul:m=8,n=8,k=8\n"),
            std::string::npos);
  arguments.workload = "conv2d n=1";
  EXPECT_NE(FormatError(arguments.ReadWorkload().status()).find("write conv2d:n=,ic=,"),
            std::string::npos);
}

TEST(ReadWorkloadTest, ExplainsWhatIsWrong) {
  WorkloadArguments arguments;
  arguments.workload = "conv2d:n=1,cin=64";
  const absl::Status status = arguments.ReadWorkload().status();
  EXPECT_TRUE(StatusIs(status, kUsage, "conv2d:n=1,cin=64"));
  EXPECT_NE(FormatError(status).find("did you mean"), std::string::npos) << FormatError(status);
}

TEST(ReadCacheTest, KnowsTheStates) {
  WorkloadArguments arguments;
  EXPECT_EQ(*arguments.ReadCache(), measure::CacheState::kWarm);
  arguments.cache = "cold";
  EXPECT_EQ(*arguments.ReadCache(), measure::CacheState::kCold);
  arguments.cache = "wram";
  EXPECT_NE(FormatError(arguments.ReadCache().status()).find("'warm'"), std::string::npos);
}

TEST(ReadDurationTest, TakesSecondsAndUnits) {
  EXPECT_EQ(*ReadDuration("--t", "90"), absl::Seconds(90));
  EXPECT_EQ(*ReadDuration("--t", "1.5"), absl::Milliseconds(1500));
  EXPECT_EQ(*ReadDuration("--t", "1h30m"), absl::Minutes(90));
  for (const char* text : {"", "soon", "0", "-5s", "1e99"}) {
    EXPECT_TRUE(StatusIs(ReadDuration("--t", text), kUsage)) << text;
  }
}

TEST(TargetArgumentsTest, FillsInThisMachine) {
  TargetArguments arguments;
  ALT_ASSERT_OK_AND_ASSIGN(const target::Target host, arguments.ResolveLocally());
  arguments.threads = 1;
  EXPECT_EQ(arguments.ResolveLocally()->threads, 1);
  EXPECT_EQ(arguments.ResolveLocally()->mcpu, host.mcpu);
  arguments.target = "cpu:mcpu=skylake,vec=256,threads=8";
  arguments.threads = 0;
  EXPECT_EQ(target::PrintTarget(*arguments.ResolveLocally()), arguments.target);
  arguments.target = "gpu:what";
  EXPECT_TRUE(StatusIs(arguments.ResolveLocally(), kUsage, "gpu:what"));
}

TEST(ReadCandidateFileTest, ChecksTheWorkload) {
  const testing::TempDir dir;
  const std::string path = dir.File("c.alt");
  ALT_ASSERT_OK(base::WriteFileAtomically(path, "matmul:m=8,n=8,k=8\nalgorithm direct\n"));
  ALT_EXPECT_OK(ReadCandidateFile(path, std::nullopt).status());
  ALT_EXPECT_OK(ReadCandidateFile(path, *workload::Parse("matmul:n=8,m=8,k=8")).status());
  EXPECT_TRUE(StatusIs(ReadCandidateFile(path, *workload::Parse("matmul:m=9,n=8,k=8")), kUsage));
  EXPECT_TRUE(StatusIs(ReadCandidateFile(dir.File("none"), std::nullopt), kUsage, "none"));
  ALT_ASSERT_OK(base::WriteFileAtomically(path, "nonsense\n"));
  EXPECT_TRUE(StatusIs(ReadCandidateFile(path, std::nullopt), kUsage));
}

}  // namespace
}  // namespace alt::cli
