// A checksum for rows: finds flipped bits and torn pages, not malice. The value is stored, so it
// must never change.
#ifndef SERVER_STORE_CHECKSUM_H_
#define SERVER_STORE_CHECKSUM_H_

#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/strings/string_view.h"

namespace alt::store {

class Checksum {
 public:
  Checksum& Add(int64_t value) { return Mix(static_cast<uint64_t>(value)); }
  Checksum& Add(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return Mix(bits);
  }
  Checksum& Add(absl::string_view text) {
    Mix(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) Mix(Word(text.data(), 8));
    return text.empty() ? *this : Mix(Word(text.data(), text.size()));
  }
  template <typename T>
  Checksum& Add(const std::optional<T>& value) {
    Mix(value.has_value());
    return value ? Add(*value) : *this;
  }

  // As SQLite stores integers.
  int64_t value() const { return static_cast<int64_t>(state_ ^ (state_ >> 32)); }

 private:
  // Little-endian, so that a file may move between machines.
  static uint64_t Word(const char* bytes, size_t n) {
    uint64_t word = 0;
    for (size_t i = 0; i < n; ++i) {
      word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return word;
  }
  // Both halves of a 128-bit product: every bit of the word reaches every bit of the state.
  Checksum& Mix(uint64_t word) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ =
        static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ 0xd6e8feb86659fd93u;
    return *this;
  }

  uint64_t state_ = 0x2545f4914f6cdd1d;
};

}  // namespace alt::store

#endif  // SERVER_STORE_CHECKSUM_H_
