// A LocalMeasurer for tests: this host, alt-runner of this build, a lock of its own.
#ifndef TESTS_WORKER_MEASURE_LOCAL_MEASURER_TESTING_H_
#define TESTS_WORKER_MEASURE_LOCAL_MEASURER_TESTING_H_

#include <memory>
#include <string>

#include "tests/worker/measure/scripted_codegen.h"
#include "worker/measure/local_measurer.h"

namespace alt::testing {

// Kernels are compiled as `script` says, by LLVM as long as it says nothing.
std::unique_ptr<worker::LocalMeasurer> MakeLocalMeasurer(const std::string& lock_path,
                                                         std::shared_ptr<CodegenScript> script,
                                                         int threads = 1);
// The options that MakeLocalMeasurer uses, for tests that change some.
worker::LocalMeasurer::Options LocalMeasurerOptions(const std::string& lock_path,
                                                    std::shared_ptr<CodegenScript> script,
                                                    int threads = 1);

workload::Candidate ParseCandidateOrDie(const std::string& text);

// A small matmul for this host, with no candidates yet.
measure::MeasureRequest SmallMatmulRequest(int threads = 1);

}  // namespace alt::testing

#endif  // TESTS_WORKER_MEASURE_LOCAL_MEASURER_TESTING_H_
