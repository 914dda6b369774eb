#include "common/target/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/target/cpu_models.h"
#include "tests/testing/status_matchers.h"

namespace alt::target {
namespace {

using ::alt::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(TargetTest, CanonicalTextIsReadAndPrintedUnchanged) {
  for (const char* text :
       {"cpu:mcpu=znver4,vec=512,threads=1", "cpu:mcpu=haswell,vec=128,threads=64",
        "cpu:mcpu=neoverse-n1,vec=128,threads=2", "cuda:sm_90", "opencl:pocl"}) {
    ALT_ASSERT_OK_AND_ASSIGN(const Target target, ParseTarget(text));
    EXPECT_EQ(PrintTarget(target), text);
    ALT_ASSERT_OK_AND_ASSIGN(const Target again, ParseTarget(PrintTarget(target)));
    EXPECT_EQ(again, target);
  }
}

TEST(TargetTest, EveryKnownCpuIsReadAndPrintedUnchanged) {
  const std::vector<std::string> names = CpuModelNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) {
    ALT_ASSERT_OK_AND_ASSIGN(const Target target, ParseTarget("cpu:mcpu=" + name));
    EXPECT_EQ(target.vec_bits, FindCpuModel(name)->vec_bits);
    ALT_ASSERT_OK_AND_ASSIGN(const Target again, ParseTarget(PrintTarget(target)));
    EXPECT_EQ(again, target);
  }
}

TEST(TargetTest, AttributesComeInAnyOrderAndMayBeLeftOut) {
  ALT_ASSERT_OK_AND_ASSIGN(const Target target, ParseTarget("cpu:threads=4,mcpu=znver3"));
  EXPECT_EQ(PrintTarget(target), "cpu:mcpu=znver3,vec=256,threads=4");
}

TEST(TargetTest, DefaultsFillWhatIsLeftOut) {
  const Target host{.mcpu = "znver4", .vec_bits = 256, .threads = 8};
  EXPECT_EQ(PrintTarget(*ParseTargetWithDefaults("cpu", host)),
            "cpu:mcpu=znver4,vec=256,threads=8");
  EXPECT_EQ(PrintTarget(*ParseTargetWithDefaults("cpu:threads=2", host)),
            "cpu:mcpu=znver4,vec=256,threads=2");
  EXPECT_EQ(PrintTarget(*ParseTargetWithDefaults("cpu:mcpu=haswell", host)),
            "cpu:mcpu=haswell,vec=256,threads=8");
  const Target gpu{.kind = TargetKind::kCuda, .mcpu = "sm_90"};
  EXPECT_TRUE(StatusIs(ParseTargetWithDefaults("cpu", gpu), kInvalid, "mcpu= is missing"));
}

TEST(TargetTest, ErrorsSayWhatIsWrong) {
  const struct {
    const char* text;
    const char* message;
  } kCases[] = {
      {"", "unknown kind ''"},
      {"gpu:sm_90", "unknown kind 'gpu', not cpu, cuda or opencl; did you mean 'cpu'?"},
      {"cpu", "mcpu= is missing"},
      {"cpu:", "mcpu= is missing"},
      {"cpu:mcpu", "'mcpu' is not name=value"},
      {"cpu:mcpu=znver4,,threads=1", "'' is not name=value"},
      {"cpu:mcpu=zenver4", "unknown CPU 'zenver4'; did you mean 'znver4'?"},
      {"cpu:mcpu=znver4,thread=2", "unknown attribute 'thread'; did you mean 'threads'?"},
      {"cpu:mcpu=znver4,threads=2,threads=2", "threads is given twice"},
      {"cpu:mcpu=znver4,threads=0", "threads=0 is not within [1, 1024]"},
      {"cpu:mcpu=znver4,vec=384", "vec=384 is no vector length"},
      {"cpu:mcpu=haswell,vec=512", "vec=512 is too wide: vectors of haswell have 256"},
      {"cuda:", "architecture such as sm_90"},
      {"cuda:sm_", "architecture such as sm_90"},
      {"cuda:90", "architecture such as sm_90"},
      {"opencl:", "platform such as pocl"},
      {"opencl:a b", "platform such as pocl"},
  };
  for (const auto& c : kCases) {
    EXPECT_TRUE(StatusIs(ParseTarget(c.text), kInvalid, c.message)) << c.text;
    EXPECT_TRUE(StatusIs(ParseTarget(c.text), kInvalid, std::string("target '") + c.text + "': "));
  }
}

TEST(TargetTest, LanesAndRegisters) {
  const Target avx512 = *ParseTarget("cpu:mcpu=znver4");
  const Target half = *ParseTarget("cpu:mcpu=znver4,vec=256");
  const Target avx2 = *ParseTarget("cpu:mcpu=haswell");
  EXPECT_EQ(VecLanes(avx512), 16);
  EXPECT_EQ(VecLanes(avx512, 16), 32);
  EXPECT_EQ(VecLanes(half), 8);
  EXPECT_EQ(NumVectorRegisters(avx512), 32);
  EXPECT_EQ(NumVectorRegisters(half), 32) << "AVX-512VL gives them to shorter vectors too";
  EXPECT_EQ(NumVectorRegisters(avx2), 16);
  EXPECT_EQ(NumVectorRegisters(*ParseTarget("cpu:mcpu=neoverse-n1")), 32);
}

TEST(TargetTest, OverlongTextsAreRefused) {
  EXPECT_TRUE(testing::StatusIs(ParseTarget("cpu:mcpu=" + std::string(300, 'a')),
                                absl::StatusCode::kInvalidArgument, "the target has 309 bytes"));
}

TEST(ServesTest, FewerThreadsAndNarrowerVectorsAreServed) {
  const Target machine = *ParseTarget("cpu:mcpu=znver4,vec=512,threads=4");
  EXPECT_TRUE(Serves(machine, machine));
  EXPECT_TRUE(Serves(machine, *ParseTarget("cpu:mcpu=znver4,vec=512,threads=1")));
  EXPECT_FALSE(Serves(machine, *ParseTarget("cpu:mcpu=znver4,vec=512,threads=8")));
  const Target narrow = *ParseTarget("cpu:mcpu=znver4,vec=256,threads=4");
  EXPECT_TRUE(Serves(machine, narrow));
  EXPECT_FALSE(Serves(narrow, machine));
}

TEST(ServesTest, AnotherMachineIsNotServed) {
  const Target machine = *ParseTarget("cpu:mcpu=znver4,vec=512,threads=4");
  EXPECT_FALSE(Serves(machine, *ParseTarget("cpu:mcpu=sapphirerapids,vec=512,threads=1")));
  EXPECT_FALSE(Serves(machine, *ParseTarget("cuda:sm_90")));
}

}  // namespace
}  // namespace alt::target
