#include "tests/lint/cpp_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace alt::lint {
namespace {

// Lengths of the functions found, in order of their ends.
std::vector<int> Lengths(const std::string& text) {
  std::vector<int> lengths;
  for (const FunctionSpan& function : FindFunctions(text)) lengths.push_back(function.num_lines());
  return lengths;
}

using Ints = std::vector<int>;

TEST(BlankNonCodeTest, CommentsAndLiteralsGoAndLinesStay) {
  EXPECT_EQ(BlankNonCode("a /* { \n } */ b // {\nc"), "a      \n      b     \nc");
  EXPECT_EQ(BlankNonCode("f(\"{\\\"{\", '{', '\\'')"), "f(\"    \", ' ', '  ')");
  EXPECT_EQ(BlankNonCode("x = R\"j({ \")\" )j\" + y"), "x = R" + std::string(11, ' ') + "\" + y");
}

TEST(BlankNonCodeTest, DigitSeparatorsAreNoLiterals) {
  EXPECT_EQ(BlankNonCode("1'000 + 0xff'ff {"), "1'000 + 0xff'ff {");
  EXPECT_EQ(BlankNonCode("u8'{' + L'{'"), "u8' ' + L' '");
}

TEST(BlankNonCodeTest, DirectivesAndOtherBranchesGo) {
  EXPECT_EQ(BlankNonCode("#define A { \\\n  {\nb"), "             \n   \nb");
  EXPECT_EQ(BlankNonCode("#if X\na {\n#else\nb {\n#endif\n}"), "     \na {\n     \n   \n      \n}");
}

TEST(FindIncludesTest, FindsBothFormsAndSkipsComments) {
  const std::vector<Include> includes =
      FindIncludes("#include <a>\n// #include <b>\n/*\n#include <c>\n*/\n  # include \"d/e.h\"\n");
  ASSERT_EQ(includes.size(), 2u);
  EXPECT_EQ(includes[0].path, "a");
  EXPECT_FALSE(includes[0].quoted);
  EXPECT_EQ(includes[1].path, "d/e.h");
  EXPECT_TRUE(includes[1].quoted);
  EXPECT_EQ(includes[1].line, 6);
}

TEST(FindFunctionsTest, CountsFromHeadToClosingBrace) {
  EXPECT_EQ(Lengths("int F(\n    int x) {\n  if (x) {\n  }\n  return 1;\n}\n"), Ints{6});
  EXPECT_EQ(FindFunctions("\n\nvoid F() {}\n")[0].first_line, 3);
}

TEST(FindFunctionsTest, LooksIntoNamespacesAndClasses) {
  EXPECT_EQ(Lengths("namespace a {\nclass B : public C<D()> {\n  void F() const {\n  }\n"
                    "  int x_ = 1;\n  void G() {}\n};\n}\n"),
            (Ints{2, 1}));
  EXPECT_EQ(Lengths("extern \"C\" {\nvoid F() {\n}\n}\n"), Ints{2});
  EXPECT_EQ(Lengths("extern \"C\" void F() {\n}\n"), Ints{2});
  EXPECT_EQ(Lengths("template <class T>\nvoid F(T t) {\n}\n"), Ints{3});
}

TEST(FindFunctionsTest, DataAndTypesAreNoFunctions) {
  EXPECT_EQ(Lengths("int a[] = {\n1,\n2};\nenum class E {\nkA\n};\nstruct S {\n int x{1};\n};\n"),
            Ints{});
}

TEST(FindFunctionsTest, AMemberInitializerIsPartOfItsConstructor) {
  EXPECT_EQ(Lengths("A::A(int b)\n    : b_{b},\n      c_{1},\n      d_(2) {\n  F();\n}\n"),
            Ints{6});
  EXPECT_EQ(Lengths("A::A()\n : b_{1} {\n}\n"), Ints{3});
}

TEST(FindFunctionsTest, ALambdaBelongsToTheFunctionAroundIt) {
  EXPECT_EQ(Lengths("void F() {\n  G([] {\n  });\n}\n"), Ints{4});
}

}  // namespace
}  // namespace alt::lint
