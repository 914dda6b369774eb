#include "tests/conformance/measurer_suite.h"
#include "tests/testing/paths.h"
#include "tests/worker/measure/local_measurer_testing.h"

namespace alt::testing {
namespace {

// Owns the folder of the lock.
class MeasurerInFolder : public measure::Measurer {
 public:
  explicit MeasurerInFolder(int threads)
      : measurer_(
            MakeLocalMeasurer(dir_.File("lock"), std::make_shared<CodegenScript>(), threads)) {}
  std::vector<measure::MeasureResult> Measure(const measure::MeasureRequest& request,
                                              absl::FunctionRef<bool()> cancelled) override {
    return measurer_->Measure(request, cancelled);
  }

 private:
  TempDir dir_;
  std::unique_ptr<worker::LocalMeasurer> measurer_;
};

MeasurerCase CaseOf(const std::string& name, int threads, const std::string& also) {
  return {.name = name,
          .create = [threads] { return std::make_unique<MeasurerInFolder>(threads); },
          .good_request =
              [threads, also] {
                measure::MeasureRequest request = SmallMatmulRequest(threads);
                for (const char* text : {"", "split(matmul.n, 8)\nvectorize(matmul.n.1)",
                                         "reorder(matmul: k n)", "layout b: split(1,16)"}) {
                  request.candidates.push_back(ParseCandidateOrDie(text + ("\n" + also)));
                }
                return request;
              },
          .bad_candidate =
              [](measure::Measurer&) { return ParseCandidateOrDie("split(matmul.nowhere, 4)"); },
          .bad_outcome = measure::Outcome::kRejected};
}

INSTANTIATE_TEST_SUITE_P(Local, MeasurerSuite,
                         ::testing::Values(CaseOf("OneThread", 1, ""),
                                           CaseOf("TwoThreads", 2, "parallel(matmul.m)")),
                         CaseName);

}  // namespace
}  // namespace alt::testing
