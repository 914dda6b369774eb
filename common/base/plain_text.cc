#include "common/base/plain_text.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace alt::base {
namespace {

// Bytes of the character that starts here, by RFC 3629; 0 when none does.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  const auto continues = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const uint8_t first = byte(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    // Not longer than needed, and no surrogates.
    const uint8_t low = first == 0xe0 ? 0xa0 : 0x80, high = first == 0xed ? 0x9f : 0xbf;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const uint8_t low = first == 0xf0 ? 0x90 : 0x80, high = first == 0xf4 ? 0x8f : 0xbf;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string PlainText(absl::string_view text, size_t most_bytes) {
  std::string out;
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    const absl::string_view character = bytes == 0 ? "?" : text.substr(0, bytes);
    if (out.size() + character.size() > most_bytes) break;
    out.append(character.data(), character.size());
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

std::string OneLine(absl::string_view text, size_t most_bytes) {
  const std::string plain = PlainText(text, most_bytes);
  std::string out;
  for (size_t i = 0; i < plain.size(); ++i) {
    // U+0080 to U+009F are two bytes, and some terminals obey them.
    const bool second_set = plain[i] == '\xc2' && plain[i + 1] < '\xa0';
    if (second_set || absl::ascii_iscntrl(static_cast<unsigned char>(plain[i]))) {
      absl::StrAppend(&out, absl::CHexEscape(plain.substr(i, second_set ? 2 : 1)));
      i += second_set;
    } else {
      out += plain[i];
    }
  }
  return out;
}

}  // namespace alt::base
