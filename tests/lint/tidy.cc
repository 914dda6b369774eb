#include "tests/lint/tidy.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "tests/lint/cpp_text.h"

namespace alt::lint {
namespace {

bool IsCpp(const std::string& path) {
  return absl::EndsWith(path, ".h") || absl::EndsWith(path, ".cc");
}

bool IsSource(const std::string& path) {
  for (const char* ending : {".h", ".cc", ".proto", ".py", ".sh", ".cmake", "CMakeLists.txt"}) {
    if (absl::EndsWith(path, ending)) return true;
  }
  return false;
}

bool IsCmake(const std::string& path) {
  return absl::EndsWith(path, "CMakeLists.txt") || absl::EndsWith(path, ".cmake");
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string Join(const std::string& directory, const std::string& file) {
  return directory.empty() ? file : absl::StrCat(directory, "/", file);
}

void Append(std::vector<Violation> from, std::vector<Violation>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

struct ListedSource {
  std::string file;  // as written, from the CMakeLists.txt's directory
  int line;
  bool alone;  // on its line, as in a list
};

std::vector<ListedSource> FindListedSources(const std::string& cmake) {
  static const std::regex* const word = new std::regex(R"re([\w/.+-]+\.cc\b)re");
  std::vector<ListedSource> sources;
  int number = 0;
  for (absl::string_view view : absl::StrSplit(cmake, '\n')) {
    ++number;
    const std::string line(view.substr(0, view.find('#')));
    for (std::sregex_iterator it(line.begin(), line.end(), *word), end; it != end; ++it) {
      // A generated file, ${DIR}/x.cc, is nobody's to list.
      if (it->position() > 0 && line[static_cast<size_t>(it->position()) - 1] == '}') continue;
      const bool alone = absl::StripAsciiWhitespace(line) == it->str();
      sources.push_back({it->str(), number, alone});
    }
  }
  return sources;
}

std::vector<Violation> CheckOneList(const std::string& path, const Tree& tree,
                                    std::set<std::string>& listed) {
  std::vector<Violation> violations;
  const ListedSource* previous = nullptr;
  const std::vector<ListedSource> sources = FindListedSources(tree.at(path));
  for (const ListedSource& source : sources) {
    const std::string full = Join(DirectoryOf(path), source.file);
    listed.insert(full);
    if (tree.count(full) == 0) {
      violations.push_back({path, source.line, absl::StrCat("there is no ", full)});
    }
    const bool follows =
        previous != nullptr && previous->alone && source.alone && previous->line + 1 == source.line;
    if (follows && previous->file > source.file) {
      violations.push_back(
          {path, source.line, absl::StrCat(source.file, " stands after ", previous->file)});
    }
    previous = &source;
  }
  return violations;
}

}  // namespace

std::vector<Violation> CheckSizes(const std::string& path, const std::string& text) {
  std::vector<Violation> violations;
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (lines > kMaxFileLines) {
    violations.push_back({path, 0, absl::StrCat(lines, " lines, at most ", kMaxFileLines)});
  }
  if (!IsCpp(path)) return violations;
  for (const FunctionSpan& function : FindFunctions(text)) {
    if (function.num_lines() <= kMaxFunctionLines) continue;
    violations.push_back({path, function.first_line,
                          absl::StrCat("function of ", function.num_lines(), " lines, at most ",
                                       kMaxFunctionLines)});
  }
  return violations;
}

std::vector<Violation> CheckGuard(const std::string& path, const std::string& text) {
  if (!absl::EndsWith(path, ".h")) return {};
  std::string guard = absl::AsciiStrToUpper(path) + "_";
  std::replace_if(
      guard.begin(), guard.end(), [](char c) { return !absl::ascii_isalnum(c); }, '_');
  const std::string code = BlankComments(text);
  const std::string begin = absl::StrCat("#ifndef ", guard, "\n#define ", guard, "\n");
  const absl::string_view start = absl::StripLeadingAsciiWhitespace(code);
  const bool closed = absl::EndsWith(absl::StripTrailingAsciiWhitespace(code), "#endif");
  if (absl::StartsWith(start, begin) && closed) return {};
  return {{path, 0, absl::StrCat("no include guard ", guard)}};
}

Tree ReadTree(const std::string& root) {
  Tree tree;
  for (const char* top : {"proto", "common", "server", "worker", "client", "deploy", "tests"}) {
    const std::filesystem::path directory = std::filesystem::path(root) / top;
    if (!std::filesystem::exists(directory)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      const std::string path = entry.path().lexically_relative(root).string();
      if (!entry.is_regular_file() || !IsSource(path)) continue;
      absl::StatusOr<std::string> text = base::ReadFile(entry.path().string());
      ALT_CHECK_OK(text.status());
      tree.emplace(path, *std::move(text));
    }
  }
  return tree;
}

std::vector<Violation> CheckSourceLists(const Tree& tree) {
  std::vector<Violation> violations;
  std::set<std::string> listed;
  for (const auto& [path, text] : tree) {
    const bool is_list = path == "CMakeLists.txt" || absl::EndsWith(path, "/CMakeLists.txt");
    if (is_list) Append(CheckOneList(path, tree, listed), violations);
  }
  for (const auto& [path, text] : tree) {
    if (!absl::EndsWith(path, ".cc") || listed.count(path) > 0) continue;
    violations.push_back({path, 0, "no CMakeLists.txt lists this file"});
  }
  return violations;
}

std::vector<Violation> CheckTargets(const Tree& tree) {
  static const std::regex* const made =
      new std::regex(R"re(\b(?:alt_library|add_library|alt_program|alt_test)\((alt_\w+))re");
  // Alone on its line, as the names after DEPS are; not a call.
  static const std::regex* const used = new std::regex(R"re(^\s+(alt_\w+)\)?\s*$)re");
  std::set<std::string> names;
  for (const auto& [path, text] : tree) {
    if (!IsCmake(path)) continue;
    for (std::sregex_iterator it(text.begin(), text.end(), *made), end; it != end; ++it) {
      names.insert((*it)[1]);
    }
  }
  std::vector<Violation> violations;
  for (const auto& [path, text] : tree) {
    if (!IsCmake(path)) continue;
    int number = 0;
    for (absl::string_view view : absl::StrSplit(text, '\n')) {
      ++number;
      const std::string line(view);
      std::smatch match;
      if (!std::regex_match(line, match, *used) || names.count(match[1]) > 0) continue;
      violations.push_back({path, number, absl::StrCat("nothing makes ", match[1].str())});
    }
  }
  return violations;
}

std::vector<Violation> CheckReferences(const Tree& tree) {
  static const std::regex* const reference = new std::regex(R"re(\btests/[\w/]+\.(cc|h|py)\b)re");
  std::vector<Violation> violations;
  for (const auto& [path, text] : tree) {
    if (!IsCpp(path) || absl::StartsWith(path, "tests/")) continue;
    int number = 0;
    for (absl::string_view view : absl::StrSplit(text, '\n')) {
      ++number;
      const std::string line(view);
      for (std::sregex_iterator it(line.begin(), line.end(), *reference), end; it != end; ++it) {
        if (tree.count(it->str()) > 0) continue;
        violations.push_back({path, number, absl::StrCat("there is no ", it->str())});
      }
    }
  }
  return violations;
}

std::vector<Violation> CheckTree(const Tree& tree, const Layers& layers) {
  std::vector<Violation> violations = CheckSourceLists(tree);
  Append(CheckTargets(tree), violations);
  Append(CheckReferences(tree), violations);
  for (const auto& [path, text] : tree) {
    Append(CheckSizes(path, text), violations);
    Append(CheckGuard(path, text), violations);
    if (IsCpp(path)) Append(layers.CheckIncludes(path, text), violations);
  }
  return violations;
}

}  // namespace alt::lint
