#include "common/workload/field.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"

namespace alt::workload {
namespace {

absl::Status Invalid(absl::string_view name, absl::string_view value, absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, "=", absl::CHexEscape(value.substr(0, 40)), " ", reason));
}

// Other element types that people ask for: known, but not here.
bool IsKnownDtype(absl::string_view name) {
  for (absl::string_view known : {"f16", "bf16", "f64", "i8", "u8", "i32"}) {
    if (name == known) return true;
  }
  return false;
}

std::string Bounds(const Field& field) {
  return absl::StrCat("must be an integer from ", field.low, " to ", field.high);
}

// Spreads a collapsed list of values over all of the field's.
std::optional<std::vector<int64_t>> Expand(const Field& field, std::vector<int64_t> given) {
  const size_t all = field.values.size();
  if (given.size() == all) return given;
  if (given.size() == 1) return std::vector<int64_t>(all, given[0]);
  if (field.kind == Field::Kind::kPads && given.size() * 2 == all) {
    given.insert(given.end(), given.begin(), given.end());
    return given;
  }
  return std::nullopt;
}

std::string Counts(const Field& field) {
  const size_t all = field.values.size();
  if (field.kind == Field::Kind::kPads && all > 2) {
    return absl::StrCat("takes 1 value, ", all / 2, " (one for each axis) or ", all,
                        " (begins, then ends)");
  }
  if (field.kind == Field::Kind::kPads) return "takes 1 value or 2 (begin and end)";
  if (all > 1) return absl::StrCat("takes 1 value or ", all, " (one for each axis)");
  return "takes 1 value";
}

absl::Status ParseValue(absl::string_view text, const Field& field) {
  if (field.kind == Field::Kind::kDtype) {
    if (text == "f32") return absl::OkStatus();
    if (IsKnownDtype(text)) {
      return Invalid(field.name, text, "is not supported yet by this version, which has f32");
    }
    return Invalid(field.name, text, "is no element type; this version has f32");
  }
  if (field.kind == Field::Kind::kFlag) {
    if (text != "0" && text != "1") return Invalid(field.name, text, "must be 0 or 1");
    *field.flag = text == "1";
    return absl::OkStatus();
  }
  std::vector<int64_t> given;
  for (absl::string_view part : absl::StrSplit(text, 'x')) {
    const absl::StatusOr<int64_t> value = base::ParseInt64(part);
    if (!value.ok() || *value < field.low || *value > field.high) {
      return Invalid(field.name, text, Bounds(field));
    }
    given.push_back(*value);
    if (given.size() > field.values.size()) return Invalid(field.name, text, Counts(field));
  }
  const std::optional<std::vector<int64_t>> values = Expand(field, std::move(given));
  if (!values) return Invalid(field.name, text, Counts(field));
  for (size_t i = 0; i < values->size(); ++i) *field.values[i] = (*values)[i];
  return absl::OkStatus();
}

absl::Status UnknownAttribute(absl::string_view name, const Fields& fields) {
  std::vector<std::string> names;
  std::vector<Alias> aliases;
  for (const Field& field : fields) {
    names.push_back(field.name);
    for (const std::string& alias : field.aliases) aliases.push_back({alias, field.name});
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown attribute ", base::Quoted(name),
                                                 Suggest(name, names, aliases),
                                                 " The attributes are ", DescribeFields(fields)));
}

std::string PrintValues(const Field& field) {
  switch (field.kind) {
    case Field::Kind::kDtype:
      return "f32";
    case Field::Kind::kFlag:
      return *field.flag ? "1" : "0";
    default:
      break;
  }
  std::vector<int64_t> values;
  for (const int64_t* value : field.values) values.push_back(*value);
  const size_t half = values.size() / 2;
  if (field.kind == Field::Kind::kPads &&
      std::equal(values.begin(), values.begin() + half, values.begin() + half)) {
    values.resize(half);
  }
  if (std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == values[0]; })) {
    values.resize(1);
  }
  return absl::StrJoin(values, "x");
}

absl::Status ReportMissing(const Fields& fields, const std::vector<bool>& seen) {
  std::vector<std::string> missing;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!seen[i] && fields[i].fallback.empty()) missing.push_back(fields[i].name);
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("missing ", absl::StrJoin(missing, ", "),
                                                 ". The attributes are ", DescribeFields(fields)));
}

}  // namespace

Field SizeField(std::string name, int64_t* value, std::vector<std::string> aliases) {
  return Field{.name = std::move(name), .values = {value}, .aliases = std::move(aliases)};
}

Field FlagField(std::string name, bool* flag, bool fallback, std::vector<std::string> aliases) {
  return Field{.name = std::move(name),
               .kind = Field::Kind::kFlag,
               .flag = flag,
               .fallback = fallback ? "1" : "0",
               .aliases = std::move(aliases)};
}

Field DtypeField() {
  return Field{.name = "dtype",
               .kind = Field::Kind::kDtype,
               .fallback = "f32",
               .aliases = {"type", "data_type", "precision"}};
}

absl::Status ParseFields(absl::string_view text, const Fields& fields) {
  std::vector<bool> seen(fields.size(), false);
  std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  if (absl::StripAsciiWhitespace(text).empty()) parts.clear();
  for (absl::string_view part : parts) {
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat(base::Quoted(part), " is no attribute of the form name=value"));
    }
    const absl::string_view name = absl::StripAsciiWhitespace(part.substr(0, equals));
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& field) { return field.name == name; });
    if (field == fields.end()) return UnknownAttribute(name, fields);
    if (seen[field - fields.begin()]) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is given twice"));
    }
    seen[field - fields.begin()] = true;
    ALT_RETURN_IF_ERROR(ParseValue(absl::StripAsciiWhitespace(part.substr(equals + 1)), *field));
  }
  ALT_RETURN_IF_ERROR(ReportMissing(fields, seen));
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!seen[i]) ALT_RETURN_IF_ERROR(ParseValue(fields[i].fallback, fields[i]));
  }
  return absl::OkStatus();
}

std::string PrintFields(const Fields& fields) {
  return absl::StrJoin(fields, ",", [](std::string* out, const Field& field) {
    absl::StrAppend(out, field.name, "=", PrintValues(field));
  });
}

std::string DescribeFields(const Fields& fields) {
  return absl::StrJoin(fields, ",", [](std::string* out, const Field& field) {
    absl::StrAppend(out, field.name, "=", field.fallback);
  });
}

absl::Status CheckFields(const Fields& fields) {
  for (const Field& field : fields) {
    for (const int64_t* value : field.values) {
      if (*value < field.low || *value > field.high) {
        return Invalid(field.name, PrintValues(field), Bounds(field));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckElements(absl::string_view tensor, const std::vector<int64_t>& shape) {
  double elements = 1;
  for (int64_t extent : shape) elements *= static_cast<double>(extent);
  if (elements <= kMaxElements) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("tensor ", tensor, " [",
                                                 absl::StrJoin(shape, ", "), "] is larger than ",
                                                 static_cast<int64_t>(kMaxElements), " elements"));
}

std::string Suggest(absl::string_view word, const std::vector<std::string>& known,
                    const std::vector<Alias>& aliases) {
  const std::string lower = absl::AsciiStrToLower(word);
  for (const Alias& alias : aliases) {
    if (lower == alias.spelling) return absl::StrCat("; did you mean '", alias.meant, "'?");
  }
  const std::string similar = base::DidYouMean(word, known);
  return similar.empty() ? "." : similar;
}

}  // namespace alt::workload
