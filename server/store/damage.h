// What is wrong with a database.
#ifndef SERVER_STORE_DAMAGE_H_
#define SERVER_STORE_DAMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace alt::store {

// A sentence each. Many are counted, and the first ones told.
class Damage {
 public:
  void Add(std::string problem) {
    constexpr size_t kMostTold = 100;
    if (told_.size() < kMostTold) told_.push_back(std::move(problem));
    ++count_;
  }
  int64_t count() const { return count_; }
  std::vector<std::string> Problems() const {
    std::vector<std::string> problems = told_;
    const int64_t more = count_ - static_cast<int64_t>(told_.size());
    if (more > 0) problems.push_back(absl::StrCat("and ", more, " more"));
    return problems;
  }

 private:
  std::vector<std::string> told_;
  int64_t count_ = 0;
};

}  // namespace alt::store

#endif  // SERVER_STORE_DAMAGE_H_
