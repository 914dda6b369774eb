#include "tests/lint/layers.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"
#include "tests/lint/cpp_text.h"

namespace alt::lint {
namespace {

std::vector<std::string> Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

// `path` is `holder` or below it.
bool IsWithin(absl::string_view path, absl::string_view holder) {
  return absl::ConsumePrefix(&path, holder) && (path.empty() || path[0] == '/');
}

bool IsWithinAny(absl::string_view path, const std::vector<std::string>& holders) {
  return std::any_of(holders.begin(), holders.end(),
                     [&](const std::string& holder) { return IsWithin(path, holder); });
}

bool HeaderMatches(absl::string_view header, absl::string_view pattern) {
  if (absl::ConsumePrefix(&pattern, "*")) return absl::EndsWith(header, pattern);
  if (absl::EndsWith(pattern, "/")) return absl::StartsWith(header, pattern);
  return header == pattern;
}

bool HeaderMatchesAny(absl::string_view header, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return HeaderMatches(header, pattern); });
}

bool IsFileName(absl::string_view path) {
  return absl::EndsWith(path, ".h") || absl::EndsWith(path, ".cc");
}

}  // namespace

absl::StatusOr<Layers> Layers::Parse(absl::string_view text) {
  Layers layers;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    ALT_RETURN_IF_ERROR(base::Annotate(layers.ParseLine(line), absl::StrCat("line ", number)));
  }
  ALT_RETURN_IF_ERROR(layers.Close());
  return layers;
}

absl::Status Layers::ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> sides = absl::StrSplit(line, absl::MaxSplits(':', 1));
  std::vector<std::string> left = Words(sides[0]);
  const std::string kind = left.front();
  left.erase(left.begin());
  if (kind == "free" && sides.size() == 1 && !left.empty()) {
    free_.insert(free_.end(), left.begin(), left.end());
    return absl::OkStatus();
  }
  if (sides.size() != 2 || left.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read '", line, "'"));
  }
  const std::vector<std::string> right = Words(sides[1]);
  if (kind == "door") {
    doors_.push_back({left, right});
  } else if (kind == "layer" && left.size() == 1) {
    if (!layers_.emplace(left[0], std::set<std::string>(right.begin(), right.end())).second) {
      return absl::InvalidArgumentError(absl::StrCat(left[0], " has a line before"));
    }
  } else {
    return absl::InvalidArgumentError(absl::StrCat("cannot read '", line, "'"));
  }
  return absl::OkStatus();
}

// Adds to every layer what its layers may include, until nothing is new.
absl::Status Layers::Close() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [name, allowed] : layers_) {
      for (const std::string& other : std::set<std::string>(allowed)) {
        const auto found = layers_.find(other);
        if (found == layers_.end()) {
          if (IsFileName(other)) continue;  // a single header: only itself
          return absl::InvalidArgumentError(absl::StrCat(name, ": no layer ", other));
        }
        for (const std::string& more : found->second) changed |= allowed.insert(more).second;
      }
    }
  }
  for (const auto& [name, allowed] : layers_) {
    if (allowed.count(name) > 0) {
      return absl::InvalidArgumentError(absl::StrCat(name, " includes itself in a circle"));
    }
  }
  return absl::OkStatus();
}

std::string Layers::LayerOf(absl::string_view path) const {
  std::string best;
  for (const auto& [name, allowed] : layers_) {
    if (name.size() > best.size() && IsWithin(path, name)) best = name;
  }
  return best;
}

std::string Layers::OwnHeaderFault(const std::string& path, const std::string& header) const {
  const std::string from = LayerOf(path);
  const std::string to = LayerOf(header);
  if (to.empty()) return absl::StrCat("no layer holds ", header, "; include from the root");
  const std::set<std::string>& allowed = layers_.at(from);
  if (from == to || allowed.count(to) > 0 || allowed.count(header) > 0) return "";
  return absl::StrCat(from, " may not include ", header, ", only {", absl::StrJoin(allowed, ", "),
                      "}");
}

// Empty when there is none.
std::string Layers::OutsideHeaderFault(const std::string& path, const std::string& header) const {
  if (!absl::StrContains(header, '.') && !absl::StrContains(header, '/')) return "";
  const bool is_test = IsWithin(path, "tests");
  for (const Door& door : doors_) {
    if (!HeaderMatchesAny(header, door.headers)) continue;
    if (door.paths.empty()) return absl::StrCat(header, " is not used in this project");
    if (is_test || IsWithinAny(path, door.paths)) return "";
    return absl::StrCat(header, " has its door in {", absl::StrJoin(door.paths, ", "), "}");
  }
  if (is_test || HeaderMatchesAny(header, free_)) return "";
  return absl::StrCat(header, " has no door; give it one in tests/lint/layers.txt");
}

std::vector<Violation> Layers::CheckIncludes(const std::string& path,
                                             const std::string& text) const {
  const bool is_test = IsWithin(path, "tests");
  if (!is_test && LayerOf(path).empty()) {
    return {{path, 0, "no layer holds this file; give its directory one in tests/lint/layers.txt"}};
  }
  std::vector<Violation> violations;
  for (const Include& include : FindIncludes(text)) {
    const bool is_outside = !include.quoted || HeaderMatchesAny(include.path, free_) ||
                            std::any_of(doors_.begin(), doors_.end(), [&](const Door& door) {
                              return HeaderMatchesAny(include.path, door.headers);
                            });
    std::string fault;
    if (is_outside) {
      fault = OutsideHeaderFault(path, include.path);
    } else if (!is_test) {
      fault = OwnHeaderFault(path, include.path);
    }
    if (!fault.empty()) violations.push_back({path, include.line, fault});
  }
  return violations;
}

}  // namespace alt::lint
