#include "client/cli/terminal.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace alt::cli {
namespace {

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The first so many characters.
absl::string_view Prefix(absl::string_view text, size_t columns) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (StartsCharacter(text[at]) && columns-- == 0) break;
  }
  return text.substr(0, at);
}

}  // namespace

int TerminalColumns(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t TextColumns(absl::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

std::string FitLine(absl::string_view text, int columns) {
  if (columns <= 0) return std::string(text);
  // The last column stays free: some terminals go on to the next line after it.
  const size_t room = static_cast<size_t>(std::max(columns, 2)) - 1;
  if (TextColumns(text) <= room) return std::string(text);
  if (room <= 3) return std::string(Prefix(text, room));
  absl::string_view kept = Prefix(text, room - 3);
  const size_t space = kept.find_last_of(' ');
  if (space != absl::string_view::npos && text[kept.size()] != ' ' && space >= room / 2) {
    kept = kept.substr(0, space + 1);
  }
  return absl::StrCat(absl::StripTrailingAsciiWhitespace(kept), "...");
}

std::string ProgressBar(double share, int width) {
  const int inner = std::max(width - 2, 1);
  const int full = std::clamp(static_cast<int>(std::floor(share * inner)), 0, inner);
  std::string out = "[" + std::string(static_cast<size_t>(full), '=');
  if (full < inner) out += '>';
  out.resize(static_cast<size_t>(inner) + 1, ' ');
  return out + "]";
}

std::string Colored(absl::string_view text, Color color, bool on) {
  static constexpr const char* kCodes[] = {"", "32", "33", "31", "1"};
  if (!on || color == Color::kNone || text.empty()) return std::string(text);
  return absl::StrCat("\x1b[", kCodes[static_cast<int>(color)], "m", text, "\x1b[0m");
}

}  // namespace alt::cli
