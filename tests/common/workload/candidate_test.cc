#include "common/workload/candidate.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/fingerprint.h"
#include "tests/testing/status_matchers.h"

namespace alt::workload {
namespace {

using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

constexpr char kWorkload[] =
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=1,dilation=1,groups=1,dtype=f32";
constexpr char kCandidate[] =
    "algorithm direct\n"
    "layout w: split(0,16) reorder(0,2,3,4,1)\n"
    "layout xp: reorder(0,2,3,1)\n"
    "layout y: split(1,16) reorder(0,1,3,4,2)\n"
    "inline(pad)\n"
    "split(conv.w, 14)\n"
    "reorder(conv: n h w.0 ic kh kw w.1)\n"
    "vectorize(conv.o.1)\n";

TEST(CandidateTest, TheCanonicalTextParsesToItself) {
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate candidate, ParseCandidate(kCandidate));
  EXPECT_EQ(Print(candidate), kCandidate);
  EXPECT_EQ(candidate.layouts.size(), 3u);
  EXPECT_EQ(candidate.trace.instructions.size(), 4u);
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate again, ParseCandidate(Print(candidate)));
  EXPECT_EQ(again, candidate);
}

TEST(CandidateTest, TheEmptyTextIsTheDirectFormUnscheduled) {
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate candidate, ParseCandidate(""));
  EXPECT_EQ(candidate, Candidate());
  EXPECT_EQ(Print(candidate), "algorithm direct\n");
}

TEST(CandidateTest, CommentsBlankLinesAndOrderDoNotMatter) {
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate plain, ParseCandidate(kCandidate));
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate other,
                           ParseCandidate("# by hand\n"
                                          "inline(pad)   # cheap\n\n"
                                          "  layout y :split(1, 16) reorder(0,1,3,4,2)\n"
                                          "layout x:\n"
                                          "split(conv.w,14) reorder(conv: n h w.0 ic kh kw w.1)\n"
                                          "layout xp: reorder(0,2,3,1)\n"
                                          "layout w: split(0,16) reorder(0,2,3,4,1)\n"
                                          "\tvectorize(conv.o.1)"));
  EXPECT_EQ(other, plain);
  EXPECT_EQ(Key(other), Key(plain));
}

TEST(CandidateTest, PlainLayoutsAreNoPartOfTheText) {
  Candidate candidate;
  candidate.layouts["x"] = {};
  EXPECT_EQ(Print(candidate), Print(Candidate()));
  EXPECT_EQ(Key(candidate), Key(Candidate()));
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate parsed, ParseCandidate("layout x:"));
  EXPECT_EQ(parsed, Candidate());
}

TEST(CandidateTest, TheKeyIsTheHashOfTheText) {
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate candidate, ParseCandidate(kCandidate));
  EXPECT_EQ(Key(candidate), base::Sha256Hex(kCandidate));
  EXPECT_NE(Key(candidate), Key(Candidate()));
}

TEST(CandidateTest, AlgorithmsAreBroughtIntoCanonicalForm) {
  ALT_ASSERT_OK_AND_ASSIGN(const Candidate candidate, ParseCandidate("algorithm winograd( 4, 2 )"));
  EXPECT_EQ(candidate.algorithm, (Algorithm{{Winograd{4, 2}}}));
  EXPECT_EQ(Print(candidate), "algorithm winograd(4,2)\n");
}

TEST(CandidateTest, MistakesAreNamedWithTheirLine) {
  EXPECT_TRUE(
      StatusIs(ParseCandidate("\nalgorithm foo"), kInvalid, "line 2: unknown algorithm 'foo'"));
  EXPECT_TRUE(StatusIs(ParseCandidate("algorithm direct\nalgorithm direct"), kInvalid,
                       "line 2: a candidate has one algorithm"));
  EXPECT_TRUE(StatusIs(ParseCandidate("layout x split(1,4)"), kInvalid,
                       "line 1: 'x split(1,4)' is no layout"));
  EXPECT_TRUE(StatusIs(ParseCandidate("layout : split(1,4)"), kInvalid, "is no layout"));
  EXPECT_TRUE(
      StatusIs(ParseCandidate("# c\nlayout x: splat(1,4)"), kInvalid, "line 2: layout of x: "));
  EXPECT_TRUE(StatusIs(ParseCandidate("layout x:\nlayout x: split(1,4)"), kInvalid,
                       "line 2: tensor x has two layouts"));
  EXPECT_TRUE(StatusIs(ParseCandidate("spilt(conv.h, 4)"), kInvalid, "trace: "));
  EXPECT_TRUE(StatusIs(ParseCandidate("layouts x: split(1,4)"), kInvalid, "trace: "));
}

TEST(CandidateTest, OverlongTextsAreRefused) {
  EXPECT_TRUE(StatusIs(ParseCandidate(std::string((1 << 20) + 1, ' ')), kInvalid, "bytes"));
}

TEST(CandidateFileTest, TheWorkloadIsItsFirstLine) {
  const std::string text = absl::StrCat(kWorkload, "\n", kCandidate);
  ALT_ASSERT_OK_AND_ASSIGN(const CandidateFile file, ParseCandidateFile(text));
  EXPECT_EQ(Print(file.workload), kWorkload);
  EXPECT_EQ(Print(file.candidate), kCandidate);
  EXPECT_EQ(Print(file), text);
}

TEST(CandidateFileTest, CommentsMayStandAboveTheWorkload) {
  ALT_ASSERT_OK_AND_ASSIGN(const CandidateFile file,
                           ParseCandidateFile("# best of 1000\n\nmatmul:m=4,n=4,k=4 # small\n"));
  EXPECT_EQ(file.workload, (Workload{Matmul{.m = 4, .n = 4, .k = 4}}));
  EXPECT_EQ(file.candidate, Candidate());
}

TEST(CandidateFileTest, AnEmptyFileIsRefused) {
  EXPECT_TRUE(StatusIs(ParseCandidateFile("# nothing\n"), kInvalid, "first line is the workload"));
}

TEST(CandidateFileTest, ABadWorkloadIsNamedWithItsLine) {
  EXPECT_TRUE(
      StatusIs(ParseCandidateFile("\nconv9d:n=1"), kInvalid, "line 2: unknown operator 'conv9d'"));
}

TEST(CandidateFileTest, TheAlgorithmHasToApply) {
  EXPECT_TRUE(StatusIs(ParseCandidateFile("matmul:m=4,n=4,k=4\nalgorithm winograd(4,4)"), kInvalid,
                       "winograd(4,4) does not apply"));
}

TEST(CandidateFileTest, LayoutsAreOfTensorsThatExistUnderTheAlgorithm) {
  EXPECT_TRUE(StatusIs(ParseCandidateFile(absl::StrCat(kWorkload, "\nlayout v: reorder(1,0,2,3)")),
                       kInvalid,
                       "layout of unknown tensor 'v'. The tensors under direct are x, w, y, xp"));
  EXPECT_TRUE(
      StatusIs(ParseCandidateFile(absl::StrCat(kWorkload, "\nlayout xpp: reorder(1,0,2,3)")),
               kInvalid, "did you mean 'xp'?"));
  ALT_EXPECT_OK(ParseCandidateFile(
      absl::StrCat(kWorkload, "\nalgorithm winograd(4,4)\nlayout v: reorder(1,0,2,3)")));
}

}  // namespace
}  // namespace alt::workload
