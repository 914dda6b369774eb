#include "tests/lint/cpp_text.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace alt::lint {
namespace {

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Replaces parts of a text by spaces, going through it once.
class Blanker {
 public:
  Blanker(const std::string& text, bool keep_literals)
      : text_(text), keep_literals_(keep_literals), out_(text) {}

  std::string Run() {
    while (at_ < text_.size()) {
      if (StartsWith("//")) {
        Blank(LineCommentEnd());
      } else if (StartsWith("/*")) {
        Blank(After("*/", at_ + 2));
      } else if (StartsWith("R\"") && !(at_ > 0 && IsWordCharacter(text_[at_ - 1]))) {
        Literal(RawStringEnd());
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !IsDigitSeparator())) {
        Literal(QuotedEnd());
      } else {
        ++at_;
      }
    }
    return out_;
  }

 private:
  bool StartsWith(const char* prefix) const { return text_.compare(at_, 2, prefix) == 0; }

  size_t After(const std::string& mark, size_t from) const {
    const size_t found = text_.find(mark, from);
    return found == std::string::npos ? text_.size() : found + mark.size();
  }

  // The newline that ends the comment, beyond those that a backslash continues.
  size_t LineCommentEnd() const {
    size_t end = text_.find('\n', at_);
    while (end != std::string::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    return end == std::string::npos ? text_.size() : end;
  }

  size_t RawStringEnd() const {
    const size_t open = text_.find('(', at_);
    if (open == std::string::npos) return text_.size();
    return After(absl::StrCat(")", text_.substr(at_ + 2, open - at_ - 2), "\""), open);
  }

  size_t QuotedEnd() const {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != text_[at_] && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text_.size());
  }

  // 1'000 and 0xff'ff, but not u8'a'.
  bool IsDigitSeparator() const {
    if (at_ == 0 || !std::isxdigit(static_cast<unsigned char>(text_[at_ - 1]))) return false;
    size_t start = at_;
    while (start > 0 && (IsWordCharacter(text_[start - 1]) || text_[start - 1] == '\'')) --start;
    return std::isdigit(static_cast<unsigned char>(text_[start]));
  }

  void Blank(size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') out_[at_] = ' ';
    }
  }

  // The quotes stay, so that "" is still an expression.
  void Literal(size_t end) {
    if (!keep_literals_) {
      ++at_;
      Blank(end - 1);
    }
    at_ = end;
  }

  const std::string& text_;
  const bool keep_literals_;
  std::string out_;
  size_t at_ = 0;
};

// The words after '#' when the line is a directive.
std::optional<std::string> Directive(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::StartsWith(line, "#")) return std::nullopt;
  return std::string(absl::StripLeadingAsciiWhitespace(line.substr(1)));
}

// Blanks directives with their continued lines, and what stands after an #else.
std::string BlankDirectives(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  std::vector<bool> in_other_branch;  // of the #ifs around this line
  bool continued = false;
  for (std::string& line : lines) {
    const std::optional<std::string> directive = continued ? std::nullopt : Directive(line);
    const bool is_directive = continued || directive.has_value();
    if (directive && absl::StartsWith(*directive, "if")) in_other_branch.push_back(false);
    if (directive && absl::StartsWith(*directive, "el") && !in_other_branch.empty()) {
      in_other_branch.back() = true;
    }
    if (directive && absl::StartsWith(*directive, "endif") && !in_other_branch.empty()) {
      in_other_branch.pop_back();
    }
    continued = is_directive && absl::EndsWith(line, "\\");
    bool other = false;
    for (bool branch : in_other_branch) other = other || branch;
    if (is_directive || other) line.assign(line.size(), ' ');
  }
  return absl::StrJoin(lines, "\n");
}

// Removes what stands between brackets, innermost first, with the brackets.
std::string WithoutBrackets(std::string head) {
  static const std::regex* const inner =
      new std::regex(R"(\([^()<>]*\)|<[^()<>]*>|\[\[[^\]]*\]\])");
  for (std::string previous; previous != head;) {
    previous = head;
    head = std::regex_replace(head, *inner, " ");
  }
  return head;
}

enum class Scope { kTransparent, kFunction, kOther };

// What a '{' opens at namespace or class scope, by the text before it back to the last ; { or }.
Scope Classify(const std::string& head) {
  static const std::regex* const scope =
      new std::regex(R"(\b(namespace|class|struct|union|enum)\b|\bextern\s*"[^"]*"\s*$)");
  if (std::regex_search(WithoutBrackets(head), *scope)) return Scope::kTransparent;
  return absl::StrContains(head, "(") ? Scope::kFunction : Scope::kOther;
}

// Walks over braces and gathers functions.
class FunctionFinder {
 public:
  explicit FunctionFinder(const std::string& code) : code_(code) {}

  std::vector<FunctionSpan> Run() {
    for (size_t i = 0; i < code_.size(); ++i) {
      const char c = code_[i];
      if (c == '{') Open(i);
      if (c == '}') Close();
      if (c == ';') last_closed_ = Scope::kOther;
      if (c == '{' || c == '}' || c == ';') head_start_ = i + 1;
      if (c == '\n') ++line_;
    }
    return functions_;
  }

 private:
  bool InFunction() const { return !scopes_.empty() && scopes_.back() != Scope::kTransparent; }

  void Open(size_t i) {
    if (InFunction()) {
      scopes_.push_back(scopes_.back() == Scope::kFunction ? Scope::kOther : scopes_.back());
      return;
    }
    const std::string head = code_.substr(head_start_, i - head_start_);
    const size_t first_character = head.find_first_not_of(" \n\t");
    const bool is_rest = first_character == std::string::npos || head[first_character] == ',';
    if (is_rest && last_closed_ == Scope::kFunction) {
      // The function before ended in a member initializer, a_{1}: this is its rest.
      first_line_ = functions_.back().first_line;
      functions_.pop_back();
      scopes_.push_back(Scope::kFunction);
      return;
    }
    scopes_.push_back(Classify(head));
    if (scopes_.back() != Scope::kFunction) return;
    const size_t first = head_start_ + std::min(first_character, head.size());
    first_line_ = line_ - static_cast<int>(std::count(code_.begin() + static_cast<long>(first),
                                                      code_.begin() + static_cast<long>(i), '\n'));
  }

  void Close() {
    if (scopes_.empty()) return;
    if (scopes_.back() == Scope::kFunction) functions_.push_back({first_line_, line_});
    last_closed_ = scopes_.back();
    scopes_.pop_back();
  }

  const std::string& code_;
  std::vector<Scope> scopes_;  // kOther inside a function: a block of it
  std::vector<FunctionSpan> functions_;
  Scope last_closed_ = Scope::kOther;  // by the brace right before the head
  size_t head_start_ = 0;
  int line_ = 1;
  int first_line_ = 1;
};

}  // namespace

std::string BlankComments(const std::string& text) { return Blanker(text, true).Run(); }

std::string BlankNonCode(const std::string& text) {
  return BlankDirectives(Blanker(text, false).Run());
}

std::vector<Include> FindIncludes(const std::string& text) {
  static const std::regex* const pattern =
      new std::regex(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
  std::vector<Include> includes;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(BlankComments(text), '\n')) {
    ++line_number;
    std::smatch match;
    const std::string line_text(line);
    if (!std::regex_search(line_text, match, *pattern)) continue;
    includes.push_back({line_number, match[1] == "\"", match[2]});
  }
  return includes;
}

std::vector<FunctionSpan> FindFunctions(const std::string& text) {
  const std::string code = BlankNonCode(text);
  return FunctionFinder(code).Run();
}

}  // namespace alt::lint
