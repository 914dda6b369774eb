#include "common/measure/validators.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace alt::measure {

Validators ValidatorsOf(const target::HostFacts& host, int code_generator, absl::string_view llvm) {
  return {{"caches", absl::StrCat(host.l1d_bytes >> 10, "K+", host.l2_bytes >> 10, "K")},
          {"codegen", absl::StrCat(code_generator)},
          {"cpu", host.cpu_name},
          {"llvm", std::string(llvm)}};
}

std::string DescribeDifference(const Validators& then, const Validators& now) {
  std::vector<std::string> out;
  for (const auto& [name, value] : now) {
    const auto it = then.find(name);
    if (it == then.end()) {
      out.push_back(absl::StrCat(name, " unknown instead of ", value));
    } else if (it->second != value) {
      out.push_back(absl::StrCat(name, "=", it->second, " instead of ", value));
    }
  }
  for (const auto& [name, value] : then) {
    if (!now.contains(name)) out.push_back(absl::StrCat(name, "=", value, " instead of unknown"));
  }
  return absl::StrJoin(out, ", ");
}

}  // namespace alt::measure
