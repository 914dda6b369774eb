#include "client/cli/answer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/arguments.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"

namespace alt::cli {
namespace {

Json AnswerJson(const job::QuerySpec& spec, const job::Answer& answer) {
  Json out = {{"source", std::string(job::AnswerSourceName(answer.source))},
              {"reason", answer.reason},
              {"workload", workload::Print(spec.workload)},
              {"target", target::PrintTarget(spec.target)},
              {"record", answer.record.empty() ? Json() : Json(answer.record)},
              {"candidate", ToJson(spec.workload, answer.candidate)}};
  if (answer.latency) {
    out["latency_ns"] = ToJson(*answer.latency);
    out["gflops"] = GflopsOf(spec.workload, *answer.latency);
  }
  return out;
}

}  // namespace

void ShowAnswer(Context& context, Session& session, const job::QuerySpec& spec,
                const job::Answer& answer) {
  context.result = AnswerJson(spec, answer);
  if (context.options.json) return;
  Out(absl::StrCat("trace\n", schedule::Print(answer.candidate.trace), "layouts\n",
                   DescribeLayouts(spec.workload, answer.candidate)));
  Out(absl::StrFormat("source    %s\n", job::AnswerSourceName(answer.source)));
  if (!answer.reason.empty()) Out(absl::StrCat("reason    ", answer.reason, "\n"));
  if (!answer.record.empty()) Out(absl::StrCat("record    ", answer.record, "\n"));
  if (answer.latency) {
    Out(absl::StrFormat("latency   %s, %.1f GFLOP/s\n", FormatLatency(*answer.latency),
                        GflopsOf(spec.workload, *answer.latency)));
  }
  if (answer.source == job::AnswerSource::kExact) return;
  Note(absl::StrCat("next: ",
                    session.CommandLine(absl::StrCat("tune ", ShellWord(ShortName(spec.workload)),
                                                     TargetOption(session, spec.target))),
                    "\n"));
}

}  // namespace alt::cli
