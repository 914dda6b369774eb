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

}  // namespace alt::job
