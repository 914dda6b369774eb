#include "common/job/answer.h"

namespace alt::job {

absl::string_view AnswerSourceName(AnswerSource source) {
  switch (source) {
    case AnswerSource::kExact:
      return "exact";
    case AnswerSource::kNearest:
      return "nearest";
    case AnswerSource::kDefault:
      return "default";
    case AnswerSource::kGiven:
      return "given";
  }
  return "unknown";
}

std::optional<AnswerSource> ParseAnswerSource(absl::string_view name) {
  for (const auto source : {AnswerSource::kExact, AnswerSource::kNearest, AnswerSource::kDefault,
                            AnswerSource::kGiven}) {
    if (AnswerSourceName(source) == name) return source;
  }
  return std::nullopt;
}

}  // namespace alt::job
