// Figures and JSON that several commands print (the fields of docs/command_line.md#json).
#ifndef CLIENT_CLI_OUTPUT_H_
#define CLIENT_CLI_OUTPUT_H_

#include <optional>
#include <string>

#include "client/cli/context.h"
#include "client/include/alt/tuning_client.h"

namespace alt::cli {

// {min, median, mad, n}
Json ToJson(const measure::Latency& latency);
// {tensor: text} for every tensor of the workload under the candidate's algorithm; plain ones too.
Json LayoutsJson(const workload::Workload& workload, const workload::Candidate& candidate);
// {algorithm, layouts, trace}
Json ToJson(const workload::Workload& workload, const workload::Candidate& candidate);
// {OK: n, ...}
Json OutcomesJson(const job::TuneProgress& progress);
// What a job is about; no workload: the machine. `full`: its canonical text.
struct SpecText {
  std::string kind, workload, target;
};
SpecText Describe(const job::JobSpec& spec, bool full = true);

// A job in a list.
Json ToJson(const job::Job& job);
// What `--json` prints of one job: the object of `alt tune` for one that has tuned.
Json ResultJson(const job::Job& job);
// The object of `alt tune`.
Json ToJson(const job::Job& job, const job::TuneSpec& spec, const job::TuneProgress& progress);

// The workload without what its text may leave out: "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,
// pad=1".
std::string ShortName(const workload::Workload& workload);

// "2026-12-01 03:05", where we are; and for programs, "2026-12-01T02:05:00+00:00".
std::string FormatDate(absl::Time time);
std::string FormatUtc(absl::Time time);
// "1 trial", "2 trials".
std::string Counted(int64_t n, absl::string_view noun);
// Empty for what is no trial.
std::string FormatTrial(int64_t trial);

// FLOPs of the workload over the median.
double GflopsOf(const workload::Workload& workload, const measure::Latency& latency);
// Of the FMA loop timed in turns with the best, else of the machine's calibration with the threads
// of the target; none while neither is known.
std::optional<double> PeakShare(const job::TuneSpec& spec, const job::TuneProgress& progress);

// "N H/4 W/14 O/32 4h 14w 32o" for each tensor that is not plain, one a line, after its name.
std::string DescribeLayouts(const workload::Workload& workload,
                            const workload::Candidate& candidate);
// A table of outcomes: "OK 120, REJECTED 8".
std::string DescribeOutcomes(const job::TuneProgress& progress);

}  // namespace alt::cli

#endif  // CLIENT_CLI_OUTPUT_H_
