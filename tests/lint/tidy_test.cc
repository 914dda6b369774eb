#include "tests/lint/tidy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/file.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::lint {
namespace {

std::string Lines(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "\n";
  return text;
}

std::vector<std::string> Strings(const std::vector<Violation>& violations) {
  std::vector<std::string> strings;
  for (const Violation& violation : violations) strings.push_back(violation.ToString());
  return strings;
}

TEST(CheckSizesTest, ALongFileIsAFault) {
  EXPECT_TRUE(CheckSizes("a.cc", Lines(800)).empty());
  EXPECT_EQ(Strings(CheckSizes("a.sh", Lines(801))),
            std::vector<std::string>{"a.sh: 801 lines, at most 800"});
}

TEST(CheckSizesTest, ALongFunctionIsAFault) {
  EXPECT_TRUE(CheckSizes("a.cc", "void F() {" + Lines(69) + "}\n").empty());
  EXPECT_EQ(Strings(CheckSizes("a.cc", "\nvoid F() {" + Lines(70) + "}\n")),
            std::vector<std::string>{"a.cc:2: function of 71 lines, at most 70"});
}

TEST(CheckGuardTest, TheGuardIsThePath) {
  const std::string good = "// Text.\n#ifndef A_B_C_H_\n#define A_B_C_H_\n#endif  // A_B_C_H_\n";
  EXPECT_TRUE(CheckGuard("a/b_c.h", good).empty());
  EXPECT_EQ(Strings(CheckGuard("a/b.h", good)),
            std::vector<std::string>{"a/b.h: no include guard A_B_H_"});
  EXPECT_EQ(CheckGuard("a/b.h", "#pragma once\n").size(), 1u);
  EXPECT_EQ(CheckGuard("a/b.h", "int x;\n#ifndef A_B_H_\n#define A_B_H_\n#endif\n").size(), 1u);
  EXPECT_EQ(CheckGuard("a/b.h", "#ifndef A_B_H_\n#define A_B_H_\n#endif\nint x;\n").size(), 1u);
}

TEST(CheckSourceListsTest, EveryFileIsListedAndEveryListedFileExists) {
  const Tree tree = {{"a/CMakeLists.txt", "alt_library(x\n  SRCS\n    b.cc\n    deep/c.cc)\n"},
                     {"a/b.cc", ""},
                     {"a/deep/c.cc", ""}};
  EXPECT_TRUE(CheckSourceLists(tree).empty());
  Tree more = tree;
  more["a/new.cc"] = "";
  EXPECT_EQ(Strings(CheckSourceLists(more)),
            std::vector<std::string>{"a/new.cc: no CMakeLists.txt lists this file"});
  Tree less = tree;
  less.erase("a/b.cc");
  EXPECT_EQ(Strings(CheckSourceLists(less)),
            std::vector<std::string>{"a/CMakeLists.txt:3: there is no a/b.cc"});
}

TEST(CheckSourceListsTest, ACommentIsNoList) {
  const Tree tree = {{"a/CMakeLists.txt", "# b.cc\n"}, {"a/b.cc", ""}};
  EXPECT_EQ(CheckSourceLists(tree).size(), 1u);
}

TEST(CheckSourceListsTest, ListsAreSorted) {
  const Tree tree = {{"a/CMakeLists.txt", "SRCS\n  b.cc\n  a.cc\nSRCS a.cc b.cc\n"},
                     {"a/a.cc", ""},
                     {"a/b.cc", ""}};
  EXPECT_EQ(Strings(CheckSourceLists(tree)),
            std::vector<std::string>{"a/CMakeLists.txt:3: a.cc stands after b.cc"});
}

TEST(CheckTargetsTest, WhatIsLinkedIsMade) {
  const Tree tree = {
      {"deploy/cmake/x.cmake", "add_library(alt_llvm INTERFACE)\n"},
      {"a/CMakeLists.txt", "alt_library(alt_a\n  SRCS\n    a.cc\n  DEPS\n    alt_llvm)\n"},
      {"b/CMakeLists.txt", "alt_test(b_test\n  DEPS\n    alt_a\n    alt_gone)\n"},
  };
  EXPECT_EQ(Strings(CheckTargets(tree)),
            std::vector<std::string>{"b/CMakeLists.txt:4: nothing makes alt_gone"});
}

TEST(CheckReferencesTest, ATestThatIsNamedExists) {
  const Tree tree = {
      {"common/a/x.h", "// Shown by tests/common/a/x_test.cc.\n\n// See tests/common/gone.cc\n"},
      {"tests/common/a/x_test.cc", "// tests/made/up.cc\n"},
  };
  EXPECT_EQ(Strings(CheckReferences(tree)),
            std::vector<std::string>{"common/a/x.h:3: there is no tests/common/gone.cc"});
}

TEST(CheckReferencesTest, APageThatIsNamedHasThatHeading) {
  const Tree tree = {
      {"common/a/x.h", "// docs/a.md#what-is-timed\n// docs/a.md#gone\n// gone.md 3.2\n"},
      {"docs/a.md", "# A\n## What is timed?\n"},
  };
  EXPECT_EQ(Strings(CheckReferences(tree)),
            (std::vector<std::string>{"common/a/x.h:2: there is no docs/a.md#gone",
                                      "common/a/x.h:3: there is no gone.md"}));
}

TEST(CheckReferencesTest, APageNamesFilesAndFoldersOfTheTree) {
  const Tree tree = {
      {"common/a/x.h", ""},
      {"docs/a.md",
       "`common/a/` `common/a/x.h` `common/b` [b](../common/a/x.h) [c](gone.md)\n"
       "[d](https://x.org/y) [e](a.md)\n"},
  };
  EXPECT_EQ(Strings(CheckReferences(tree)),
            (std::vector<std::string>{"docs/a.md:1: there is no gone.md",
                                      "docs/a.md:1: there is no common/b"}));
}

TEST(CheckTreeTest, AllChecksAreMade) {
  ALT_ASSERT_OK_AND_ASSIGN(const Layers layers, Layers::Parse("layer common/a:"));
  const Tree tree = {
      {"common/a/x.cc", "#include <other.h>\nvoid F() {" + Lines(70) + "}\n"},
      {"common/a/x.h", "// tests/gone.cc"},
      {"common/a/CMakeLists.txt", "alt_library(alt_a DEPS\n  alt_gone)\n"},
  };
  EXPECT_EQ(CheckTree(tree, layers).size(), 6u)
      << "unlisted, include, function, guard, target, reference";
}

TEST(TidyTest, TheTreeIsTidy) {
  const std::string root = testing::SourceDir();
  ALT_ASSERT_OK_AND_ASSIGN(const std::string rules,
                           base::ReadFile(root + "/tests/lint/layers.txt"));
  ALT_ASSERT_OK_AND_ASSIGN(const Layers layers, Layers::Parse(rules));
  const Tree tree = ReadTree(root);
  EXPECT_GT(tree.size(), 50u) << "the tree was not found";
  EXPECT_EQ(tree.count("tests/lint/tidy_test.cc"), 1u);
  for (const Violation& violation : CheckTree(tree, layers)) {
    ADD_FAILURE() << violation.ToString();
  }
}

}  // namespace
}  // namespace alt::lint
