#include "client/cli/job_argument.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/cli_error.h"
#include "common/base/parse.h"

namespace alt::cli {

void JobArgument::Declare(CLI::App& app) {
  app.add_option("job", name, "such as j12; `alt jobs` lists them")->required()->type_name("");
}

absl::Status JobArgument::Check() const {
  const absl::string_view digits = absl::StripPrefix(name, "j");
  if (digits.size() < name.size() && !digits.empty() && digits.size() < 19 &&
      std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit)) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat("there is no job ", base::Quoted(name)),
                    "jobs are called j1, j2 and so on", "`alt jobs` lists them");
}

absl::Status JobArgument::Explain(const absl::Status& status, absl::string_view verb) const {
  return cli::Explain(status, absl::StrCat("cannot ", verb, " ", name),
                      absl::IsNotFound(status) ? "`alt jobs` lists jobs" : "");
}

}  // namespace alt::cli
