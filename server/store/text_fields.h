// Named fields as text, for values that only this program reads back: one field a line,
//   name SPACE value NEWLINE
// where value has backslash and newline escaped as \\ and \n. A name may come more than once.
// Readers ignore names that they do not know.
#ifndef SERVER_STORE_TEXT_FIELDS_H_
#define SERVER_STORE_TEXT_FIELDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace alt::store {

class FieldWriter {
 public:
  void Text(absl::string_view name, absl::string_view value);
  void Int(absl::string_view name, int64_t value);
  void Uint(absl::string_view name, uint64_t value);
  // Reads back as the same number, bit for bit.
  void Double(absl::string_view name, double value);
  // Left out when it is absent.
  void OptionalDouble(absl::string_view name, const std::optional<double>& value);

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Getters remember the first error, so that a reader checks once at the end. An absent field reads
// as the value given.
class FieldReader {
 public:
  // DataLoss when a line is not of the form above.
  static absl::StatusOr<FieldReader> Parse(absl::string_view text);

  std::string Text(absl::string_view name, std::string absent = "") const;
  int64_t Int(absl::string_view name, int64_t absent = 0);
  uint64_t Uint(absl::string_view name, uint64_t absent = 0);
  double Double(absl::string_view name, double absent = 0);
  std::optional<double> OptionalDouble(absl::string_view name);
  std::vector<std::string> All(absl::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

  // For values that the reader finds wrong itself.
  void Fail(absl::string_view name);
  const absl::Status& status() const { return status_; }

 private:
  const std::string* Find(absl::string_view name) const;

  std::vector<std::pair<std::string, std::string>> fields_;
  absl::Status status_;
};

}  // namespace alt::store

#endif  // SERVER_STORE_TEXT_FIELDS_H_
