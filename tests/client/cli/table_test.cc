#include "client/cli/table.h"

#include <gtest/gtest.h>

namespace alt::cli {
namespace {

Table Example() {
  Table table({"job", "trials>", "best"});
  table.Add({"j12", "9", "±1 and more"});
  table.Add({"j3", "128", ""});
  return table;
}

TEST(TableTest, ColumnsAreAsWideAsWhatStandsInThem) {
  EXPECT_EQ(Example().ToText(0),
            "job  trials  best\n"
            "j12       9  ±1 and more\n"
            "j3      128\n");
}

TEST(TableTest, ALineEndsWithTheTerminal) {
  EXPECT_EQ(Example().ToText(20),
            "job  trials  best\n"
            "j12       9  ±1...\n"
            "j3      128\n");
}

TEST(TableTest, CsvQuotesWhatNeedsIt) {
  Table table({"a", "n>"});
  table.Add({"x,y", "1"});
  table.Add({"say \"z\"", "2"});
  EXPECT_EQ(table.ToCsv(), "a,n\r\n\"x,y\",1\r\n\"say \"\"z\"\"\",2\r\n");
}

}  // namespace
}  // namespace alt::cli
