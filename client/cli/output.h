// Figures and JSON that several commands print (the fields of design.md 7).
#ifndef CLIENT_CLI_OUTPUT_H_
#define CLIENT_CLI_OUTPUT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "client/include/alt/tuning_client.h"

namespace alt::cli {

using Json = nlohmann::ordered_json;

// One object, pretty-printed, on stdout.
void PrintJson(const Json& json);

// {min, median, mad, n}
Json ToJson(const measure::Latency& latency);
// {tensor: text} for every tensor of the workload under the candidate's algorithm; plain ones too.
Json LayoutsJson(const workload::Workload& workload, const workload::Candidate& candidate);
// {algorithm, layouts, trace}
Json ToJson(const workload::Workload& workload, const workload::Candidate& candidate);
// {OK: n, ...}
Json OutcomesJson(const job::TuneProgress& progress);
// The object of `alt tune`.
Json ToJson(const job::Job& job, const job::TuneSpec& spec, const job::TuneProgress& progress);

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
