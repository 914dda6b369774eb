#include "common/workload/layout_text.h"

#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace alt::workload {
namespace {

using ::alt::testing::StatusIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr char kConv[] = "conv2d:n=1,ic=16,ih=8,iw=8,oc=32,kh=3,kw=3,pad=1";

std::vector<std::string> NamesOf(const std::string& workload, const std::string& tensor) {
  const te::Graph graph = *MakeGraph(*Parse(workload));
  return DimNames(graph, *graph.FindTensor(tensor));
}

std::string LayoutOf(const std::string& workload, const std::string& tensor,
                     const std::string& text) {
  const absl::StatusOr<layout::Layout> layout = ParseLayoutFor(*Parse(workload), tensor, text);
  return layout.ok() ? layout::Print(*layout) : layout.status().ToString();
}

TEST(DimNamesTest, ExternalTensorsAreNamedByWhatReadsThem) {
  using Names = std::vector<std::string>;
  for (const char* pad : {"0", "1"}) {
    const std::string conv =
        std::string("conv2d:n=2,ic=16,ih=8,iw=8,oc=32,kh=3,kw=3,stride=2,pad=") + pad;
    EXPECT_EQ(NamesOf(conv, "x"), (Names{"n", "c", "h", "w"})) << pad;
    EXPECT_EQ(NamesOf(conv, "w"), (Names{"o", "i", "kh", "kw"})) << pad;
    EXPECT_EQ(NamesOf(conv, "y"), (Names{"n", "o", "h", "w"})) << pad;
  }
  EXPECT_EQ(NamesOf("conv2d:n=1,ic=16,ih=8,iw=8,oc=16,kh=3,kw=3,groups=16", "w"),
            (Names{"o", "i", "kh", "kw"}));
  EXPECT_EQ(NamesOf("matmul:m=4,n=5,k=6", "a"), (Names{"m", "k"}));
  EXPECT_EQ(NamesOf("matmul:m=4,n=5,k=6,trans_a=1", "a"), (Names{"k", "m"}));
  EXPECT_EQ(NamesOf("matmul:m=4,n=5,k=6,batch=2", "b"), (Names{"b", "k", "n"}));
  EXPECT_EQ(NamesOf("matmul:m=4,n=5,k=6", "c"), (Names{"m", "n"}));
}

TEST(ParseLayoutForTest, TakesPrimitivesAndTheBlockForm) {
  EXPECT_EQ(LayoutOf(kConv, "x", "plain"), "");
  EXPECT_EQ(LayoutOf(kConv, "x", ""), "");
  EXPECT_EQ(LayoutOf(kConv, "x", " reorder(0,2,3,1) "), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutOf(kConv, "x", "N H W C"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutOf(kConv, "x", "NHWC"), "reorder(0,2,3,1)");
  EXPECT_EQ(LayoutOf(kConv, "x", "N C/8 H W 8c"), "split(1,8) reorder(0,1,3,4,2)");
  EXPECT_EQ(LayoutOf(kConv, "w", "O/32 KH KW I 32o"), "split(0,32) reorder(0,3,4,2,1)");
  EXPECT_EQ(LayoutOf("matmul:m=64,n=64,k=64", "b", "(K*N)"), "fuse(0,1)");
}

TEST(ParseLayoutForTest, SaysWhatIsWrong) {
  const Workload conv = *Parse(kConv);
  EXPECT_TRUE(StatusIs(ParseLayoutFor(conv, "xpp", "N H W C"), kInvalid,
                       "there is no tensor 'xpp'; did you mean 'xp'?; tensors are x, w, y, xp"));
  EXPECT_TRUE(StatusIs(ParseLayoutFor(conv, "x", "nhwc"), kInvalid,
                       "'nhwc': expected plain, primitives such as split(1,8), or dimensions such "
                       "as N C H W"));
  EXPECT_TRUE(StatusIs(ParseLayoutFor(conv, "x", "N H W"), kInvalid, "dimension C is missing"));
  EXPECT_TRUE(StatusIs(ParseLayoutFor(conv, "x", "splt(1,8)"), kInvalid, "did you mean 'split'?"));
  EXPECT_TRUE(StatusIs(ParseLayoutFor(conv, "x", "reorder(0,0)"), kInvalid,
                       "reorder(0,0): not a permutation of 0..3: 0 is twice"));
}

}  // namespace
}  // namespace alt::workload
