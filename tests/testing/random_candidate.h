// Random layouts and traces for property tests: everything legal and odd, nothing good.
#ifndef TESTS_TESTING_RANDOM_CANDIDATE_H_
#define TESTS_TESTING_RANDOM_CANDIDATE_H_

#include <map>
#include <string>

#include "common/base/random.h"
#include "common/workload/candidate.h"

namespace alt::testing {

// Layouts that ApplyLayouts accepts, on about two tensors of three.
std::map<std::string, layout::Layout> RandomLayouts(const te::Graph& graph, base::Random& random);

// Up to `tries` random instructions after those of `trace`, those kept that apply. `physical` has
// its layouts applied.
schedule::Trace RandomTrace(const te::Graph& physical, int tries, base::Random& random,
                            schedule::Trace trace = {});

}  // namespace alt::testing

#endif  // TESTS_TESTING_RANDOM_CANDIDATE_H_
