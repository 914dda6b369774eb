#include "tests/testing/fake_measurer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/random.h"

namespace alt::testing {
namespace {

using measure::MeasureMode;
using measure::MeasureResult;
using measure::Outcome;

constexpr double kCostOfFactorTwo = 0.1;
constexpr double kMostCost = 4;  // e^4: the worst candidate is 55 times slower than the best
constexpr double kHashShare = 0.02;

// In [0, 1), by seed and text.
double HashOf(uint64_t seed, absl::string_view what, absl::string_view text) {
  return base::Random(seed).Stream(what).Stream(text).UnitDouble();
}

// Calls visit(where, value) for each number in the text; `where` is its line without the numbers
// and its place in it, so that a decision keeps its name when another one changes.
void ForEachNumber(absl::string_view text,
                   const std::function<void(const std::string&, int64_t)>& visit) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    std::string form;
    std::vector<int64_t> numbers;
    bool in_number = false;
    for (char c : line) {
      const bool digit = absl::ascii_isdigit(static_cast<unsigned char>(c));
      if (!digit) {
        form.push_back(c);
      } else if (in_number) {
        numbers.back() = std::min<int64_t>(numbers.back() * 10 + (c - '0'), int64_t{1} << 40);
      } else {
        numbers.push_back(c - '0');
      }
      in_number = digit;
    }
    for (size_t i = 0; i < numbers.size(); ++i) visit(absl::StrCat(form, "#", i), numbers[i]);
  }
}

}  // namespace

void FakeMeasurer::Fail(const workload::Candidate& candidate, Outcome outcome,
                        std::string message) {
  absl::MutexLock lock(&mutex_);
  failures_[workload::Print(candidate)] = {outcome, std::move(message)};
}

std::vector<MeasureResult> FakeMeasurer::Measure(const measure::MeasureRequest& request,
                                                 absl::FunctionRef<bool()> cancelled) {
  {
    absl::MutexLock lock(&mutex_);
    requests_.push_back(request);
  }
  std::vector<MeasureResult> results(request.candidates.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (cancelled()) {
      results[i].message = "cancelled";
    } else {
      results[i] = MeasureOne(request, request.candidates[i]);
    }
  }
  return results;
}

double FakeMeasurer::ModelLatencyNs(const workload::Workload& workload,
                                    const workload::Candidate& candidate) const {
  if (options_.latency_ns) return options_.latency_ns(workload, candidate);
  const std::string problem = workload::Print(workload);
  const std::string text = workload::Print(candidate);
  double cost = 0;
  ForEachNumber(text, [&](const std::string& where, int64_t value) {
    const double best = std::floor(HashOf(options_.seed, problem, where) * 6);  // 2^0 to 2^5
    cost +=
        kCostOfFactorTwo * std::abs(std::log2(std::max(0.5, static_cast<double>(value))) - best);
  });
  const double hash = HashOf(options_.seed, problem, text);
  const double perfect_ns = std::max(1.0, workload::Flops(workload) / options_.peak_gflops);
  return perfect_ns * std::exp(std::min(kMostCost, cost)) * (1 + kHashShare * hash);
}

std::vector<measure::MeasureRequest> FakeMeasurer::requests() const {
  absl::MutexLock lock(&mutex_);
  return requests_;
}

int64_t FakeMeasurer::measured() const {
  absl::MutexLock lock(&mutex_);
  return measured_;
}

std::optional<std::pair<Outcome, std::string>> FakeMeasurer::FailureOf(
    const std::string& text) const {
  const auto found = failures_.find(text);
  if (found != failures_.end()) return found->second;
  if (options_.failures.empty() || HashOf(options_.seed, "fails", text) >= options_.failure_rate) {
    return std::nullopt;
  }
  const double which = HashOf(options_.seed, "how", text);
  const Outcome outcome =
      options_.failures[static_cast<size_t>(which * static_cast<double>(options_.failures.size()))];
  return std::make_pair(outcome, std::string("injected by hash"));
}

MeasureResult FakeMeasurer::MeasureOne(const measure::MeasureRequest& request,
                                       const workload::Candidate& candidate) {
  const std::string text = workload::Print(candidate);
  const double model_ns = ModelLatencyNs(request.workload, candidate);
  absl::MutexLock lock(&mutex_);
  ++measured_;
  const int64_t times = ++times_measured_[text];
  MeasureResult result;
  result.seconds.build = 0.02;
  if (const auto failure = FailureOf(text)) {
    result.outcome = failure->first;
    result.message = failure->second;
    return result;
  }
  const double slower = HashOf(options_.seed, absl::StrCat("noise", times), text) * options_.noise;
  const double ns = model_ns * (1 + slower);
  result.outcome = Outcome::kOk;
  result.latency = {.min_ns = ns, .median_ns = ns * 1.01, .mad_ns = ns * 0.005, .n = 10};
  result.seconds.check = 0.001;
  result.seconds.run = 0.01;
  if (request.mode == MeasureMode::kCompare) {
    result.peak_gflops = options_.peak_gflops;
  } else {
    result.censored = request.incumbent_ns && ns > 2 * *request.incumbent_ns;
  }
  return result;
}

}  // namespace alt::testing
