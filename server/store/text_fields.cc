#include "server/store/text_fields.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace alt::store {
namespace {

bool Unescape(absl::string_view text, std::string* out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      *out += text[i];
      continue;
    }
    if (++i == text.size() || (text[i] != '\\' && text[i] != 'n')) return false;
    *out += text[i] == 'n' ? '\n' : '\\';
  }
  return true;
}

}  // namespace

void FieldWriter::Text(absl::string_view name, absl::string_view value) {
  absl::StrAppend(&text_, name, " ");
  for (const char c : value) {
    if (c == '\\' || c == '\n') {
      text_ += '\\';
      text_ += c == '\n' ? 'n' : '\\';
    } else {
      text_ += c;
    }
  }
  text_ += '\n';
}

void FieldWriter::Int(absl::string_view name, int64_t value) {
  absl::StrAppend(&text_, name, " ", value, "\n");
}

void FieldWriter::Uint(absl::string_view name, uint64_t value) {
  absl::StrAppend(&text_, name, " ", value, "\n");
}

void FieldWriter::Double(absl::string_view name, double value) {
  absl::StrAppendFormat(&text_, "%s %.17g\n", name, value);
}

void FieldWriter::OptionalDouble(absl::string_view name, const std::optional<double>& value) {
  if (value) Double(name, *value);
}

absl::StatusOr<FieldReader> FieldReader::Parse(absl::string_view text) {
  FieldReader reader;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const absl::string_view line = text.substr(0, end);
    const size_t space = line.find(' ');
    std::string value;
    if (end == absl::string_view::npos || space == absl::string_view::npos ||
        !Unescape(line.substr(space + 1), &value)) {
      return absl::DataLossError(absl::StrCat("not a field: '", line.substr(0, 100), "'"));
    }
    reader.fields_.emplace_back(std::string(line.substr(0, space)), std::move(value));
    text.remove_prefix(end + 1);
  }
  return reader;
}

const std::string* FieldReader::Find(absl::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return &value;
  }
  return nullptr;
}

void FieldReader::Fail(absl::string_view name) {
  if (!status_.ok()) return;
  const std::string* value = Find(name);
  status_ = absl::DataLossError(
      absl::StrCat("field ", name, " has a bad value '", value ? *value : std::string(), "'"));
}

std::string FieldReader::Text(absl::string_view name, std::string absent) const {
  const std::string* value = Find(name);
  return value ? *value : std::move(absent);
}

int64_t FieldReader::Int(absl::string_view name, int64_t absent) {
  const std::string* value = Find(name);
  if (value && !absl::SimpleAtoi(*value, &absent)) Fail(name);
  return absent;
}

uint64_t FieldReader::Uint(absl::string_view name, uint64_t absent) {
  const std::string* value = Find(name);
  if (value && !absl::SimpleAtoi(*value, &absent)) Fail(name);
  return absent;
}

double FieldReader::Double(absl::string_view name, double absent) {
  const std::string* value = Find(name);
  if (value && !absl::SimpleAtod(*value, &absent)) Fail(name);
  return absent;
}

std::optional<double> FieldReader::OptionalDouble(absl::string_view name) {
  if (Find(name) == nullptr) return std::nullopt;
  return Double(name);
}

std::vector<std::string> FieldReader::All(absl::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : fields_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

}  // namespace alt::store
