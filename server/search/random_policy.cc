#include "server/search/random_policy.h"

#include <utility>

namespace alt::search {
namespace {

class RandomPolicy : public Policy {
 public:
  explicit RandomPolicy(Sampler sampler) : sampler_(std::move(sampler)) {}
  Point Propose() override { return sampler_.Uniform(); }
  void Learn(const Point&, std::optional<double>) override {}

 private:
  Sampler sampler_;
};

}  // namespace

std::unique_ptr<Policy> MakeRandomPolicy(Sampler sampler) {
  return std::make_unique<RandomPolicy>(std::move(sampler));
}

}  // namespace alt::search
