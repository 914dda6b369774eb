#include "client/cli/table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/terminal.h"

namespace alt::cli {
namespace {

constexpr absl::string_view kGap = "  ";

bool IsNumeric(const std::string& title) { return absl::EndsWith(title, ">"); }

std::string CsvCell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return absl::StrCat("\"", absl::StrReplaceAll(cell, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::string Table::ToText(int columns) const {
  const std::vector<std::string>& titles = rows_[0];
  std::vector<size_t> widths;
  for (size_t column = 0; column < titles.size(); ++column) {
    size_t width = titles[column].size() - (IsNumeric(titles[column]) ? 1 : 0);
    for (size_t row = 1; row < rows_.size(); ++row) {
      width = std::max(width, TextColumns(rows_[row][column]));
    }
    widths.push_back(width);
  }
  std::string out;
  for (size_t row = 0; row < rows_.size(); ++row) {
    std::string line;
    for (size_t column = 0; column < titles.size(); ++column) {
      const bool numeric = IsNumeric(titles[column]);
      std::string cell = rows_[row][column];
      if (row == 0 && numeric) cell.pop_back();
      const std::string pad(widths[column] - TextColumns(cell), ' ');
      absl::StrAppend(&line, column == 0 ? "" : kGap, numeric ? pad : "", cell, numeric ? "" : pad);
    }
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&out, FitLine(line, columns), "\n");
  }
  return out;
}

std::string Table::ToCsv() const {
  std::string out;
  for (size_t row = 0; row < rows_.size(); ++row) {
    absl::StrAppend(&out,
                    absl::StrJoin(rows_[row], ",",
                                  [&](std::string* line, const std::string& cell) {
                                    const bool heading = row == 0 && IsNumeric(cell);
                                    absl::StrAppend(line,
                                                    CsvCell(cell.substr(0, cell.size() - heading)));
                                  }),
                    "\r\n");
  }
  return out;
}

}  // namespace alt::cli
