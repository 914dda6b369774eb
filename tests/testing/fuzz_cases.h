#ifndef TESTS_TESTING_FUZZ_CASES_H_
#define TESTS_TESTING_FUZZ_CASES_H_

#include <algorithm>
#include <cstdlib>

namespace alt::testing {

// usual, times ALT_FUZZ_CASES where the environment has it: for a long run by hand.
inline int FuzzCases(int usual) {
  const char* factor = std::getenv("ALT_FUZZ_CASES");
  return usual * (factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

}  // namespace alt::testing

#endif  // TESTS_TESTING_FUZZ_CASES_H_
