#include "common/schedule/trace.h"

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace alt::schedule {
namespace {

using testing::StatusIs;

std::string Repeat(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

constexpr char kEvery[] =
    "split(conv.h, 4, 2)\n"
    "fuse(conv.n, conv.h.0)\n"
    "reorder(conv: n_h.0 kh h.1)\n"
    "compute_at(pad, conv.n_h.0)\n"
    "inline(cast)\n"
    "parallel(conv.n_h.0)\n"
    "vectorize(conv.o.1)\n"
    "vectorize(pad.c, 8)\n"
    "unroll(conv.w.1)\n"
    "transpose(cast.w, cast.c)\n"
    "prefetch(conv.ic, w, 16)\n";

TEST(TraceTest, EveryInstructionPrintsAsItWasWritten) {
  ALT_ASSERT_OK_AND_ASSIGN(Trace trace, Parse(kEvery));
  EXPECT_EQ(trace.instructions.size(), 11);
  EXPECT_EQ(Print(trace), kEvery);
}

TEST(TraceTest, CommentsAndSpacesDoNotCount) {
  ALT_ASSERT_OK_AND_ASSIGN(Trace trace,
                           Parse("# head\n split( conv.h ,4 )   unroll(conv.w) # tail\n\n"));
  EXPECT_EQ(Print(trace), "split(conv.h, 4)\nunroll(conv.w)\n");
}

TEST(TraceTest, TheEmptyTraceIsLegal) {
  ALT_ASSERT_OK_AND_ASSIGN(Trace trace, Parse(" \n"));
  EXPECT_TRUE(trace.instructions.empty());
}

TEST(TraceTest, ErrorsNameTheInstructionAndTheReason) {
  EXPECT_TRUE(StatusIs(Parse("splitt(conv.h, 4)").status(), absl::StatusCode::kInvalidArgument,
                       "splitt(conv.h, 4): unknown instruction 'splitt'; did you mean 'split'?"));
  EXPECT_TRUE(StatusIs(Parse("split(conv.h, x)").status(), absl::StatusCode::kInvalidArgument,
                       "'x' is no positive number"));
  EXPECT_TRUE(StatusIs(Parse("split(conv.h, 0)").status(), absl::StatusCode::kInvalidArgument,
                       "'0' is no positive number"));
  EXPECT_TRUE(StatusIs(Parse("split(conv, 4)").status(), absl::StatusCode::kInvalidArgument,
                       "'conv' is no axis"));
  EXPECT_TRUE(StatusIs(Parse("split(conv.h)").status(), absl::StatusCode::kInvalidArgument,
                       "expected split(stage.axis, factor, ..) with 2 to 17 arguments, got 1"));
  EXPECT_TRUE(StatusIs(Parse("fuse(a.h, b.w)").status(), absl::StatusCode::kInvalidArgument,
                       "axes of two stages"));
  EXPECT_TRUE(StatusIs(Parse("reorder(conv h w)").status(), absl::StatusCode::kInvalidArgument,
                       "'conv h w' is no name"));
  EXPECT_TRUE(StatusIs(Parse("reorder(conv:)").status(), absl::StatusCode::kInvalidArgument,
                       "expected reorder(stage: axis axis ..)"));
  EXPECT_TRUE(StatusIs(Parse("unroll(conv.w").status(), absl::StatusCode::kInvalidArgument,
                       "expected ')', as in split(conv.h, 4)"));
}

TEST(TraceTest, NamesAreSuchThatTextsParseBack) {
  for (const char* text :
       {"unroll(conv.a b)", "unroll(co nv.a)", "unroll(conv.a\nb)", "inline(p:d)", "inline( )",
        "compute_at(p d, conv.h)", "reorder(conv: a+b)", "prefetch(conv.ic, w w, 2)"}) {
    EXPECT_TRUE(StatusIs(Parse(text).status(), absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST(TraceTest, ALongTraceIsRefused) {
  std::string text;
  for (int i = 0; i < 1024; ++i) text += "unroll(conv.w)\n";
  ALT_EXPECT_OK(Parse(text).status());
  text += "unroll(conv.w)\n";
  EXPECT_TRUE(StatusIs(Parse(text).status(), absl::StatusCode::kInvalidArgument, "at most 1024"));
}

TEST(TraceTest, OneInstructionNamesSoManyLoopsAndFactors) {
  const auto split = [](int n) { return absl::StrCat("split(s.a", Repeat(", 1", n), ")"); };
  const auto fuse = [](int n) { return absl::StrCat("fuse(s.a", Repeat(", s.a", n - 1), ")"); };
  const auto reorder = [](int n) { return absl::StrCat("reorder(s:", Repeat(" a", n), ")"); };
  for (const std::string& text : {split(16), fuse(32), reorder(32)}) {
    ALT_EXPECT_OK(Parse(text).status());
  }
  for (const std::string& text : {split(17), fuse(33), reorder(33)}) {
    EXPECT_TRUE(StatusIs(Parse(text).status(), absl::StatusCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace alt::schedule
