// The attribute grammar that all operators share. A workload's text is
//
//   workload  ::= operator ":" attribute ("," attribute)*
//   attribute ::= name "=" value             each name at most once, in any order
//   value     ::= integer ("x" integer)* | word
//
// with spaces allowed around names and values. An operator describes its attributes by a list of
// fields, which point into the struct that holds their values (op/*.cc).
#ifndef COMMON_WORKLOAD_FIELD_H_
#define COMMON_WORKLOAD_FIELD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace alt::workload {

// Bounds that keep index arithmetic far from 64 bits: of one extent, of the elements of a tensor,
// of the multiply-adds of a workload.
inline constexpr int64_t kMaxExtent = int64_t{1} << 30;
inline constexpr int64_t kMaxStep = int64_t{1} << 20;  // strides, dilations, pads
inline constexpr double kMaxElements = static_cast<double>(int64_t{1} << 40);
inline constexpr double kMaxMultiplyAdds = static_cast<double>(int64_t{1} << 60);

struct Field {
  enum class Kind : uint8_t {
    kSize,   // one integer
    kAxes,   // an integer for each spatial axis, or one for all
    kPads,   // begins, then ends; begins alone when the ends are the same; or one for all
    kFlag,   // 0 or 1
    kDtype,  // f32
  };

  std::string name;
  Kind kind = Kind::kSize;
  std::vector<int64_t*> values;  // kSize, kAxes, kPads: in the order of the text, uncollapsed
  bool* flag = nullptr;          // kFlag
  int64_t low = 1, high = kMaxExtent;
  std::string fallback;              // canonical text of the default; empty: required
  std::vector<std::string> aliases;  // spellings elsewhere, for suggestions only
};
using Fields = std::vector<Field>;

Field SizeField(std::string name, int64_t* value, std::vector<std::string> aliases = {});
Field FlagField(std::string name, bool* flag, bool fallback, std::vector<std::string> aliases = {});
// The element type. There is one so far; the text has it so that keys stay valid when there are
// more.
Field DtypeField();

// Reads "name=value,..." into what the fields point to. Fields that are not named get their
// default. InvalidArgument names the attribute and the reason; all missing ones at once.
absl::Status ParseFields(absl::string_view text, const Fields& fields);
// "n=1,ic=64,..": every field, equal axes collapsed.
std::string PrintFields(const Fields& fields);
// "n=,ic=,..,stride=1,..": every field with its default.
std::string DescribeFields(const Fields& fields);
// InvalidArgument when a value is out of its bounds: for values that no text was parsed into.
absl::Status CheckFields(const Fields& fields);

// "x: [n, ic] is too large": that a tensor stays below kMaxElements.
absl::Status CheckElements(absl::string_view tensor, const std::vector<int64_t>& shape);

// What may have been meant by an unknown word, as the end of its sentence: "; did you mean 'ic'?",
// or
// ".". An alias says more than a similar spelling: nobody who means ic mistypes it as in_channels.
struct Alias {
  std::string spelling, meant;
};
std::string Suggest(absl::string_view word, const std::vector<std::string>& known,
                    const std::vector<Alias>& aliases = {});

}  // namespace alt::workload

#endif  // COMMON_WORKLOAD_FIELD_H_
