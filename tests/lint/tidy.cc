#include "tests/lint/tidy.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "tests/lint/cpp_text.h"

namespace alt::lint {
namespace {

bool IsCpp(const std::string& path) {
  return absl::EndsWith(path, ".h") || absl::EndsWith(path, ".cc");
}

bool IsSource(const std::string& path) {
  for (const char* ending : {".h", ".cc", ".proto", ".py", ".sh", ".cmake", ".md", ".alt",
                             "CMakeLists.txt", "layers.txt"}) {
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

// The anchors of a page: its headings in lower case, words joined by '-'.
std::set<std::string> AnchorsOf(const std::string& page) {
  std::set<std::string> anchors;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    if (!absl::ConsumePrefix(&line, "#")) continue;
    while (absl::ConsumePrefix(&line, "#")) {
    }
    std::string anchor;
    for (const char c : absl::StripAsciiWhitespace(line)) {
      if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') {
        anchor += absl::ascii_tolower(static_cast<unsigned char>(c));
      } else if (c == ' ') {
        anchor += '-';
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

// A file of the tree, or a page with an anchor, or a folder; "a/../b" is b.
bool Exists(const std::string& name, const Tree& tree) {
  const size_t hash = name.find('#');
  std::string path =
      std::filesystem::path(name.substr(0, hash)).lexically_normal().generic_string();
  while (absl::EndsWith(path, "/")) path.pop_back();
  const auto file = tree.find(path);
  if (hash != std::string::npos) {
    return file != tree.end() && AnchorsOf(file->second).count(name.substr(hash + 1)) > 0;
  }
  if (file != tree.end()) return true;
  const auto inside = tree.lower_bound(path + "/");
  return inside != tree.end() && absl::StartsWith(inside->first, path + "/");
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
  absl::StatusOr<std::string> readme = base::ReadFile(root + "/README.md");
  if (readme.ok()) tree.emplace("README.md", *std::move(readme));
  for (const char* top :
       {"proto", "common", "server", "worker", "client", "deploy", "docs", "tests"}) {
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
  // Tests that code names, pages that anything but a test of this check names, and what pages name.
  static const std::regex* const tests = new std::regex(R"re(\btests/[\w/]+\.(cc|h|py)\b)re");
  static const std::regex* const pages = new std::regex(R"re([\w/]+\.md(#[\w-]+)?)re");
  static const std::regex* const links = new std::regex(R"re(\]\(([^:)]+)\))re");
  static const std::regex* const paths =
      new std::regex(R"re(`((?:proto|common|server|worker|client|deploy|docs|tests)/[\w/.]*)`)re");
  std::vector<Violation> violations;
  const auto check = [&](const std::string& path, const std::regex& form, int group,
                         const std::function<bool(const std::string&)>& exists) {
    int number = 0;
    for (absl::string_view view : absl::StrSplit(tree.at(path), '\n')) {
      ++number;
      const std::string line(view);
      for (std::sregex_iterator it(line.begin(), line.end(), form), end; it != end; ++it) {
        if (exists((*it)[group].str())) continue;
        violations.push_back({path, number, absl::StrCat("there is no ", (*it)[group].str())});
      }
    }
  };
  for (const auto& [path, text] : tree) {
    if (absl::EndsWith(path, ".md")) {
      const std::string folder = DirectoryOf(path);
      check(path, *links, 1,
            [&](const std::string& link) { return Exists(Join(folder, link), tree); });
      check(path, *paths, 1, [&](const std::string& name) { return Exists(name, tree); });
      continue;
    }
    if (IsCpp(path) && !absl::StartsWith(path, "tests/")) {
      check(path, *tests, 0, [&](const std::string& name) { return Exists(name, tree); });
    }
    if (absl::StartsWith(path, "tests/lint/")) continue;
    check(path, *pages, 0, [&](const std::string& name) { return Exists(name, tree); });
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
