// What fits on a terminal, and how it is shown there.
#ifndef CLIENT_CLI_TERMINAL_H_
#define CLIENT_CLI_TERMINAL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace alt::cli {

// Of the terminal that this descriptor is; 0 when it is none.
int TerminalColumns(int fd);

// Characters of a UTF-8 text: the columns that ours takes.
size_t TextColumns(absl::string_view text);

// What a line of so many columns has room for, 0: any: cut between two words, or inside of one that
// is longer than half a line, and then it ends with "...".
std::string FitLine(absl::string_view text, int columns);

// "[=====>    ]", `width` columns in all; share is within [0, 1].
std::string ProgressBar(double share, int width);

enum class Color { kNone, kGreen, kYellow, kRed, kBold };

// The text in a colour, where colours are on.
std::string Colored(absl::string_view text, Color color, bool on);

}  // namespace alt::cli

#endif  // CLIENT_CLI_TERMINAL_H_
