#include "tests/lint/layers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace alt::lint {
namespace {

using ::alt::testing::StatusIs;

constexpr char kRules[] = R"(
# A small tree.
layer base:
layer ir: base
layer te: ir
layer gen: ir run/artifact.h
layer gen/deep: gen
layer run: base
door llvm/ odd.h: gen/deep
door db.h: run/store.cc
door *.pb.h: run
door gmock/:
free absl/ unistd.h
)";

// The messages about one file that has these include lines.
std::vector<std::string> Faults(const std::string& path, const std::string& text) {
  const absl::StatusOr<Layers> layers = Layers::Parse(kRules);
  EXPECT_TRUE(testing::IsOk(layers));
  std::vector<std::string> messages;
  for (const Violation& v : layers->CheckIncludes(path, text)) messages.push_back(v.ToString());
  return messages;
}

using Strings = std::vector<std::string>;

TEST(LayersTest, BelowIsAllowedAlsoIndirectly) {
  EXPECT_EQ(Faults("te/a.cc", "#include \"te/a.h\"\n#include \"ir/b.h\"\n#include \"base/c.h\"\n"),
            Strings{});
}

TEST(LayersTest, AboveAndBesideAreFaults) {
  EXPECT_EQ(Faults("ir/a.cc", "\n#include \"te/b.h\"\n"),
            Strings{"ir/a.cc:2: ir may not include te/b.h, only {base}"});
  EXPECT_EQ(Faults("te/a.cc", "#include \"run/b.h\"\n").size(), 1u);
}

TEST(LayersTest, ASingleHeaderMayBeAllowed) {
  EXPECT_EQ(Faults("gen/a.cc", "#include \"run/artifact.h\"\n"), Strings{});
  EXPECT_EQ(Faults("gen/a.cc", "#include \"run/device.h\"\n").size(), 1u);
  EXPECT_EQ(Faults("gen/deep/a.cc", "#include \"run/artifact.h\"\n"), Strings{});
}

TEST(LayersTest, TheLongestPathIsTheLayer) {
  EXPECT_EQ(Faults("gen/deep/a.cc", "#include \"gen/a.h\"\n"), Strings{});
  EXPECT_EQ(Faults("gen/a.cc", "#include \"gen/deep/a.h\"\n").size(), 1u);
  EXPECT_EQ(Faults("gen/deeper/a.cc", "#include \"gen/a.h\"\n"), Strings{}) << "part of gen";
}

TEST(LayersTest, AnOutsideHeaderGoesThroughItsDoorOnly) {
  EXPECT_EQ(Faults("gen/deep/a.cc", "#include <llvm/IR/Module.h>\n#include <odd.h>\n"), Strings{});
  EXPECT_EQ(Faults("gen/a.cc", "#include <llvm/IR/Module.h>\n"),
            Strings{"gen/a.cc:1: llvm/IR/Module.h has its door in {gen/deep}"});
  EXPECT_EQ(Faults("gen/a.cc", "#include \"llvm/IR/Module.h\"\n").size(), 1u) << "quoted too";
  EXPECT_EQ(Faults("run/store.cc", "#include <db.h>\n"), Strings{});
  EXPECT_EQ(Faults("run/other.cc", "#include <db.h>\n").size(), 1u);
  EXPECT_EQ(Faults("run/a.cc", "#include \"proto/x.pb.h\"\n"), Strings{});
  EXPECT_EQ(Faults("ir/a.cc", "#include \"proto/x.pb.h\"\n").size(), 1u);
}

TEST(LayersTest, AnOutsideHeaderWithoutADoorIsAFault) {
  EXPECT_EQ(Faults("ir/a.cc", "#include <new/thing.h>\n"),
            Strings{"ir/a.cc:1: new/thing.h has no door; give it one in tests/lint/layers.txt"});
  EXPECT_EQ(Faults("ir/a.cc", "#include <vector>\n#include <unistd.h>\n#include \"absl/x/y.h\"\n"),
            Strings{});
}

TEST(LayersTest, FilesAndHeadersOutsideAllLayersAreFaults) {
  EXPECT_EQ(Faults("new/a.cc", "").size(), 1u);
  EXPECT_EQ(Faults("ir/a.cc", "#include \"a.h\"\n").size(), 1u) << "not from the root";
  EXPECT_EQ(Faults("ir/a.cc", "#include \"tests/testing/x.h\"\n").size(), 1u);
}

TEST(LayersTest, TestsMayIncludeAllButWhatIsUnwanted) {
  EXPECT_EQ(
      Faults("tests/ir/a.cc", "#include \"te/a.h\"\n#include <llvm/x.h>\n#include <other.h>\n"),
      Strings{});
  EXPECT_EQ(Faults("tests/ir/a.cc", "#include <gmock/gmock.h>\n"),
            Strings{"tests/ir/a.cc:1: gmock/gmock.h is not used in this project"});
}

TEST(LayersTest, MistakesInTheRulesAreErrors) {
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_TRUE(StatusIs(Layers::Parse("layer a: b"), kInvalid, "a: no layer b"));
  EXPECT_TRUE(StatusIs(Layers::Parse("layer a: b\nlayer b: a"), kInvalid, "in a circle"));
  EXPECT_TRUE(StatusIs(Layers::Parse("layer a:\nlayer a:"), kInvalid, "line 2: a has a line"));
  EXPECT_TRUE(StatusIs(Layers::Parse("layr a:"), kInvalid, "cannot read"));
  EXPECT_TRUE(StatusIs(Layers::Parse("layer a"), kInvalid, "cannot read"));
}

}  // namespace
}  // namespace alt::lint
