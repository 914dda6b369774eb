// Whether what a kernel computed is right.
#ifndef WORKER_MEASURE_REFERENCE_CHECK_H_
#define WORKER_MEASURE_REFERENCE_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/te/stage.h"
#include "common/workload/algorithm.h"
#include "worker/measure/host_loop.h"

namespace alt::worker {

// How far a result may be off: |got - want| <= tolerance * max |want|.
//
// Operands are small integers, so that a kernel that only multiplies and adds is exact in any order
// and with or without contraction, as long as no sum leaves the 24 bits of a float: its tolerance
// is 0. Winograd's transforms have fractions. Largest errors on such operands, as shares of the
// largest output: F(2,2) 0, F(4,2) 2e-6, F(4,4) 9e-6, F(6,6) 2e-5 with 512 channels, a sixth of
// that with 8. One product left out of a sum of K is about 1/sqrt(K) of a typical output: above
// 1e-3 for every K here.
double ToleranceOf(const workload::Algorithm& algorithm);

// The largest M such that operands from [-M, M] keep every sum of `graph` exact; at most 8.
int64_t ExactMagnitude(const te::Graph& graph);

// What a reference holds where it computes nothing: any finite number is right there. A NaN that no
// computation yields.
float AnyNumber();

// None when got is right everywhere, else what is wrong: the first cell that is, and how many.
// Both are physical, in one layout, and cells without data are part of it: zero.
std::optional<std::string> CompareResult(absl::Span<const float> got, absl::Span<const float> want,
                                         double tolerance, HostLoop& loop);

}  // namespace alt::worker

#endif  // WORKER_MEASURE_REFERENCE_CHECK_H_
