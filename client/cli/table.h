// Listings of several commands: a heading, columns as wide as what stands in them, one line for
// each row.
#ifndef CLIENT_CLI_TABLE_H_
#define CLIENT_CLI_TABLE_H_

#include <string>
#include <vector>

namespace alt::cli {

class Table {
 public:
  // A title that ends with '>' is that of numbers: they stand at the right of their column.
  explicit Table(std::vector<std::string> titles) : rows_({std::move(titles)}) {}

  // As many cells as there are titles.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Lines of at most so many columns, 0: any; the last cell gives way, and ends with "...".
  std::string ToText(int columns) const;
  // One line for each row and for the titles, as spreadsheets read it (RFC 4180).
  std::string ToCsv() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the titles first
};

}  // namespace alt::cli

#endif  // CLIENT_CLI_TABLE_H_
