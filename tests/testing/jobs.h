// What a tuning job asks for and what came of it, for tests that know which kind of job they have.
#ifndef TESTS_TESTING_JOBS_H_
#define TESTS_TESTING_JOBS_H_

#include <variant>

#include "common/job/job.h"

namespace alt::testing {

inline job::TuneSpec& TuneOf(job::Job& job) { return std::get<job::TuneSpec>(job.spec); }
inline const job::TuneSpec& TuneOf(const job::Job& job) {
  return std::get<job::TuneSpec>(job.spec);
}
inline const job::TuneProgress& Tuned(const job::Job& job) {
  return std::get<job::TuneProgress>(job.progress);
}

}  // namespace alt::testing

#endif  // TESTS_TESTING_JOBS_H_
