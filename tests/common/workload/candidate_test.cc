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
  EXPECT_TRUE(StatusIs(ParseCandidate("\nalgorithm foo"), kInvalid, "2: unknown algorithm 'foo'"));
  EXPECT_TRUE(StatusIs(ParseCandidate("algorithm direct\nalgorithm direct"), kInvalid,
                       "2: a candidate has one algorithm"));
  EXPECT_TRUE(StatusIs(ParseCandidate("layout x split(1,4)"), kInvalid,
                       "1: layout 'x split(1,4)': expected layout tensor: primitives"));
  EXPECT_TRUE(StatusIs(ParseCandidate("layout : split(1,4)"), kInvalid,
                       "expected layout tensor: primitives"));
  EXPECT_TRUE(StatusIs(ParseCandidate("# c\nlayout x: splat(1,4)"), kInvalid,
                       "2: layout x: splat(1,4): unknown primitive 'splat'; did you mean"));
  EXPECT_TRUE(StatusIs(ParseCandidate("layout x:\nlayout x: split(1,4)"), kInvalid,
                       "2: tensor x has two layouts"));
  EXPECT_TRUE(StatusIs(ParseCandidate("\n\nspilt(conv.h, 4)"), kInvalid,
                       "3: spilt(conv.h, 4): unknown instruction 'spilt'; did you mean 'split'?"));
  EXPECT_TRUE(StatusIs(ParseCandidate("layouts x: split(1,4)"), kInvalid,
                       "1: layouts: unknown instruction 'layouts'"));
  EXPECT_TRUE(StatusIs(ParseCandidate("unroll(conv.h)\nunroll(conv.w"), kInvalid,
                       "2: 'unroll(conv.w': expected ')'"));
}

TEST(CandidateTest, ALayoutLineIsOfATensor) {
  EXPECT_TRUE(StatusIs(ParseCandidate("layout a b: split(1,4)"), kInvalid, "expected layout"));
  EXPECT_TRUE(StatusIs(ParseCandidate("layout \x1b[31m: split(1,4)"), kInvalid, "'\\x1b[31m"));
}

TEST(CandidateTest, PartsAreBoundedInNumber) {
  std::string layouts, trace;
  for (int i = 0; i < 65; ++i) absl::StrAppend(&layouts, "layout t", i, ": split(0,2)\n");
  EXPECT_TRUE(StatusIs(ParseCandidate(layouts), kInvalid, "65: a candidate has at most 64"));
  for (int i = 0; i < 1025; ++i) absl::StrAppend(&trace, "unroll(conv.w)\n");
  EXPECT_TRUE(StatusIs(ParseCandidate(trace), kInvalid, "1025: a trace has at most 1024"));
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
      StatusIs(ParseCandidateFile("\nconv9d:n=1"), kInvalid, "2: unknown operator 'conv9d'"));
}

TEST(CandidateFileTest, TheAlgorithmHasToApply) {
  EXPECT_TRUE(StatusIs(ParseCandidateFile("matmul:m=4,n=4,k=4\nalgorithm winograd(4,4)"), kInvalid,
                       "2: algorithm winograd(4,4) does not apply to matmul:m=4"));
}

TEST(CandidateFileTest, LayoutsAreOfTensorsThatExistUnderTheAlgorithm) {
  EXPECT_TRUE(StatusIs(
      ParseCandidateFile(absl::StrCat(kWorkload, "\nlayout v: reorder(1,0,2,3)")), kInvalid,
      "2: layout of unknown tensor 'v'. The tensors under direct are x, w, y, xp"));
  EXPECT_TRUE(
      StatusIs(ParseCandidateFile(absl::StrCat(kWorkload, "\nlayout xpp: reorder(1,0,2,3)")),
               kInvalid, "did you mean 'xp'?"));
  ALT_EXPECT_OK(ParseCandidateFile(
      absl::StrCat(kWorkload, "\nalgorithm winograd(4,4)\nlayout v: reorder(1,0,2,3)")));
}

TEST(CandidateFileTest, WhatDoesNotApplyIsNamedWithItsLine) {
  const auto parse = [](absl::string_view lines) {
    return ParseCandidateFile(absl::StrCat(kWorkload, "\n", lines));
  };
  EXPECT_TRUE(StatusIs(parse("layout w: split(0,4)\nlayout x: reorder(0,0)"), kInvalid,
                       "3: layout x: reorder(0,0): not a permutation of 0..3: 0 is twice"));
  EXPECT_TRUE(StatusIs(parse("\nlayout x: pad(1,0,4)"), kInvalid,
                       "3: layout x: pad(1,0,4): an external input arrives under"));
  EXPECT_TRUE(StatusIs(parse("unroll(conv.kh) unroll(conv.kw)\nunroll(conv.kh)"),
                       absl::StatusCode::kFailedPrecondition,
                       "3: unroll(conv.kh): loop kh is unrolled already"));
  EXPECT_TRUE(StatusIs(parse("split(conv.z, 4)"), kInvalid, "2: split(conv.z, 4): stage conv has"));
}

}  // namespace
}  // namespace alt::workload
