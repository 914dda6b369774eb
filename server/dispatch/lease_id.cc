#include "server/dispatch/lease_id.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace alt::dispatch {
namespace {

std::string PrintIndices(const std::vector<int64_t>& indices) {
  std::string text;
  for (size_t i = 0; i < indices.size();) {
    size_t last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
    absl::StrAppend(&text, text.empty() ? "" : ",", indices[i]);
    if (last > i) absl::StrAppend(&text, "-", indices[last]);
    i = last + 1;
  }
  return text;
}

bool ParseIndices(absl::string_view text, std::vector<int64_t>* indices) {
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> range =
        absl::StrSplit(part, absl::MaxSplits('-', 1));
    int64_t first, last;
    if (!absl::SimpleAtoi(range.first, &first)) return false;
    last = first;
    if (!range.second.empty() && !absl::SimpleAtoi(range.second, &last)) return false;
    if (first < 0 || last < first || last - first >= kMaxLeaseSize) return false;
    for (int64_t i = first; i <= last; ++i) {
      if (!indices->empty() && i <= indices->back()) return false;
      indices->push_back(i);
    }
    if (static_cast<int64_t>(indices->size()) > kMaxLeaseSize) return false;
  }
  return true;
}

}  // namespace

std::string PrintLeaseName(const LeaseName& name) {
  return absl::StrCat(name.realm, ".", name.epoch, ".", name.serial, "/", name.job, "/", name.batch,
                      "/", PrintIndices(name.indices));
}

std::optional<LeaseName> ParseLeaseName(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  if (parts.size() != 4) return std::nullopt;
  const std::vector<absl::string_view> lives = absl::StrSplit(parts[0], '.');
  LeaseName name;
  if (lives.size() != 3 || !absl::SimpleAtoi(lives[1], &name.epoch) ||
      !absl::SimpleAtoi(lives[2], &name.serial) || !absl::SimpleAtoi(parts[2], &name.batch) ||
      !ParseIndices(parts[3], &name.indices)) {
    return std::nullopt;
  }
  name.realm = std::string(lives[0]);
  name.job = std::string(parts[1]);
  // One spelling: what differs in text is not the same lease.
  if (PrintLeaseName(name) != text) return std::nullopt;
  return name;
}

}  // namespace alt::dispatch
