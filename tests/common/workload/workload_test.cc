#include "common/workload/workload.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/fingerprint.h"
#include "common/base/random.h"
#include "common/te/verify.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/workloads.h"

namespace alt::workload {
namespace {

using ::alt::testing::IsOk;
using ::alt::testing::RandomWorkload;
using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr char kConv[] =
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=1,dilation=1,groups=1,dtype=f32";

TEST(WorkloadTest, TheCanonicalTextHasEveryAttributeInOrder) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv,
                           Parse("conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=1"));
  EXPECT_EQ(Print(conv), kConv);
  ALT_ASSERT_OK_AND_ASSIGN(const Workload gemm, Parse("matmul:m=512,n=512,k=512"));
  EXPECT_EQ(Print(gemm),
            "matmul:m=512,n=512,k=512,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32");
}

TEST(WorkloadTest, AnotherSpellingIsTheSameWorkload) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload plain, Parse(kConv));
  ALT_ASSERT_OK_AND_ASSIGN(const Workload other,
                           Parse(" conv2d : kw=3,kh=3,oc=64,iw=56,ih=56,ic=64,n=1,pad=1x1 "));
  EXPECT_EQ(plain, other);
  EXPECT_EQ(Key(plain), Key(other));
}

TEST(WorkloadTest, TheKeyIsTheHashOfTheCanonicalText) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload conv, Parse(kConv));
  EXPECT_EQ(Key(conv), base::Sha256Hex(kConv));
  ALT_ASSERT_OK_AND_ASSIGN(const Workload gemm, Parse("matmul:m=512,n=512,k=512"));
  EXPECT_NE(Key(conv), Key(gemm));
}

TEST(WorkloadTest, RandomWorkloadsParseToWhatTheyPrint) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    base::Random random(seed);
    const Workload workload = RandomWorkload(random);
    const std::string text = Print(workload);
    ALT_ASSERT_OK_AND_ASSIGN(const Workload parsed, Parse(text));
    ASSERT_EQ(parsed, workload) << "seed " << seed << ": " << text;
    ASSERT_EQ(Print(parsed), text);

    std::vector<std::string> parts = absl::StrSplit(text.substr(text.find(':') + 1), ',');
    random.Shuffle(parts);
    ALT_ASSERT_OK_AND_ASSIGN(
        const Workload shuffled,
        Parse(absl::StrCat(text.substr(0, text.find(':') + 1), absl::StrJoin(parts, ","))));
    ASSERT_EQ(shuffled, workload) << "seed " << seed;
  }
}

TEST(WorkloadTest, RandomWorkloadsHaveGoodGraphsUnderEveryAlgorithm) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Random random(seed);
    const Workload workload = RandomWorkload(random);
    for (const Algorithm& algorithm : Algorithms(workload)) {
      SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", Print(algorithm), " of ", Print(workload)));
      ALT_ASSERT_OK_AND_ASSIGN(const te::Graph graph, MakeGraph(workload, algorithm));
      ASSERT_TRUE(IsOk(te::Verify(graph)));
    }
  }
}

TEST(WorkloadTest, MangledTextsNeverCrashAndWhatParsesIsValid) {
  base::Random random(7);
  const std::string alphabet = "0123456789x=,:;-abcdefghiklmnoprstuw2 ";
  for (int i = 0; i < 20000; ++i) {
    std::string text = Print(RandomWorkload(random));
    for (int64_t edits = random.UniformInt(1, 3); edits > 0; --edits) {
      const size_t at = random.Uniform(text.size());
      const char other = alphabet[random.Uniform(alphabet.size())];
      if (random.Bernoulli(0.3)) {
        text.erase(at, 1);
      } else if (random.Bernoulli(0.5)) {
        text.insert(at, 1, other);
      } else {
        text[at] = other;
      }
    }
    const absl::StatusOr<Workload> parsed = Parse(text);
    if (!parsed.ok()) {
      ASSERT_TRUE(StatusIs(parsed, kInvalid)) << text;
      ASSERT_GT(parsed.status().message().size(), 20u) << text;
      continue;
    }
    ASSERT_TRUE(IsOk(Validate(*parsed))) << text;
    ALT_ASSERT_OK_AND_ASSIGN(const Workload again, Parse(Print(*parsed)));
    ASSERT_EQ(again, *parsed) << text;
  }
}

// The list of accept/1_main_job.py, each with what its message has to say.
TEST(WorkloadTest, BadWorkloadsAreRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"conv2d:n=1,cin=64", "conv2d: unknown attribute 'cin'; did you mean 'ic'?"},
      {"conv9d:n=1", "unknown operator 'conv9d'; did you mean 'conv2d'? There are conv2d, matmul"},
      {"conv2d:n=1,ic=0,ih=5,iw=5,oc=4,kh=3,kw=3", "conv2d: ic=0 must be an integer from 1"},
      {"conv2d:n=1,ic=4,ih=2,iw=2,oc=4,kh=5,kw=5",
       "conv2d: kh=5 does not fit the padded input of 2 (ih=2, pad 0 before and 0 after)"},
      {"matmul:m=99999999999999999999,n=1,k=1",
       "matmul: m=99999999999999999999 must be an integer from 1 to 1073741824"},
      {"conv2d:n=1,ic=6,ih=8,iw=8,oc=8,kh=3,kw=3,groups=4",
       "conv2d: groups=4 does not divide ic=6"},
  };
  for (const auto& [text, reason] : cases) EXPECT_TRUE(StatusIs(Parse(text), kInvalid, reason));
}

TEST(WorkloadTest, AnOperatorAloneMissesItsAttributes) {
  EXPECT_TRUE(StatusIs(Parse("matmul"), kInvalid, "matmul: missing m, n, k."));
  EXPECT_TRUE(StatusIs(Parse("matmul:"), kInvalid, "matmul: missing m, n, k."));
  EXPECT_TRUE(StatusIs(Parse("matmul:n=4"), kInvalid, "matmul: missing m, k."));
}

TEST(WorkloadTest, AnEmptyTextShowsAnExample) {
  EXPECT_TRUE(StatusIs(Parse(""), kInvalid, "matmul:m=512"));
  EXPECT_TRUE(StatusIs(Parse("  \n"), kInvalid, "matmul:m=512"));
  EXPECT_TRUE(StatusIs(Parse(":n=1"), kInvalid, "unknown operator ''"));
}

TEST(WorkloadTest, OperatorsOfLaterVersionsAreNamedAsSuch) {
  for (const char* name : {"conv1d", "conv3d", "conv2d_transpose", "conv3d_transpose", "einsum"}) {
    EXPECT_TRUE(StatusIs(Parse(absl::StrCat(name, ":n=1")), kInvalid,
                         absl::StrCat("operator ", name, " is not supported yet")));
  }
}

TEST(WorkloadTest, OperatorNamesOfOtherToolsLeadToOurs) {
  EXPECT_TRUE(StatusIs(Parse("gemm:m=1"), kInvalid, "did you mean 'matmul'?"));
  EXPECT_TRUE(StatusIs(Parse("Conv:n=1"), kInvalid, "did you mean 'conv2d'?"));
  EXPECT_TRUE(StatusIs(Parse("depthwise:n=1"), kInvalid, "did you mean 'conv2d:...,groups=ic'?"));
}

TEST(WorkloadTest, FusedTailsAreNotSupportedYet) {
  EXPECT_TRUE(StatusIs(Parse(absl::StrCat(kConv, ";bias;relu")), kInvalid,
                       "conv2d: the fused tail ';bias;relu' is not supported yet by this version"));
}

TEST(WorkloadTest, OverlongTextsAreRefusedUnread) {
  EXPECT_TRUE(StatusIs(Parse(std::string(5000, 'a')), kInvalid, "5000 bytes, the most is 4096"));
}

TEST(WorkloadTest, WorkIsBoundedEvenWhereTensorsAreNotTooLarge) {
  EXPECT_TRUE(StatusIs(Parse("conv2d:n=1,ic=1,ih=1000000,iw=1000000,oc=1,kh=32768,kw=32768"),
                       kInvalid, "multiply-adds, the most is"));
}

TEST(WorkloadTest, EveryOperatorDescribesItself) {
  std::set<std::string> names;
  for (const OperatorHelp& help : Operators()) {
    EXPECT_TRUE(names.insert(help.name).second);
    EXPECT_GT(help.meaning.size(), 20u);
  }
  EXPECT_EQ(names, (std::set<std::string>{"conv2d", "matmul"}));
  EXPECT_EQ(Operators()[0].attributes,
            "n=,ic=,ih=,iw=,oc=,kh=,kw=,stride=1,pad=0,dilation=1,groups=1,dtype=f32");
}

TEST(WorkloadTest, AnAlgorithmThatDoesNotApplySaysWhy) {
  ALT_ASSERT_OK_AND_ASSIGN(const Workload gemm, Parse("matmul:m=4,n=4,k=4"));
  EXPECT_TRUE(StatusIs(MakeGraph(gemm, {{Winograd{4, 4}}}), kInvalid,
                       "winograd(4,4) does not apply to matmul:m=4"));
}

}  // namespace
}  // namespace alt::workload
