#include "server/search/evaluator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace alt::search {

std::shared_ptr<const Evaluator::Loops> Evaluator::LoopsOf(const workload::Candidate& candidate) {
  std::string text = workload::Print(candidate);
  auto [kept, is_new] = kept_.try_emplace(text);
  if (!is_new) return kept->second;
  Loops loops = lower::LowerToLoops(workload_, candidate);
  if (loops.ok()) {
    if (absl::Status size = lower::CheckSize(*loops, target_); !size.ok()) loops = std::move(size);
  }
  const auto result = std::make_shared<const Loops>(std::move(loops));
  kept->second = result;
  oldest_first_.push_back(std::move(text));
  if (oldest_first_.size() > kMost) {
    kept_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
  return result;
}

absl::StatusOr<workload::Candidate> DefaultCandidate(Evaluator& evaluator,
                                                     const SpaceOptions& options) {
  for (const Wishes& seed : evaluator.space().Seeds()) {
    Point point = evaluator.space().At(seed);
    if (evaluator.LoopsOf(point.candidate)->ok()) return std::move(point.candidate);
  }
  // Plain loops are legal wherever the layouts are.
  workload::Candidate plain;
  plain.layouts = options.fixed_layouts;
  if (const auto loops = evaluator.LoopsOf(plain); !loops->ok()) {
    return absl::InvalidArgumentError(absl::StrCat("no schedule of the workload in these layouts: ",
                                                   std::string(loops->status().message())));
  }
  return plain;
}

absl::StatusOr<workload::Candidate> DefaultCandidate(const workload::Workload& workload,
                                                     const target::Target& target,
                                                     const SpaceOptions& options) {
  ALT_ASSIGN_OR_RETURN(std::unique_ptr<Space> space, Space::Create(workload, target, options));
  Evaluator evaluator(workload, target, std::move(space));
  return DefaultCandidate(evaluator, options);
}

}  // namespace alt::search
