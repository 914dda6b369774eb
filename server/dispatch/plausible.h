// What no machine can be faster than, whatever its worker says.
#ifndef SERVER_DISPATCH_PLAUSIBLE_H_
#define SERVER_DISPATCH_PLAUSIBLE_H_

#include <string>

#include "common/measure/environment.h"
#include "common/measure/measurer.h"

namespace alt::dispatch {

// Half of what any machine of the target needs for a candidate of the request, in nanoseconds: its
// FLOPs at the peak of the fastest such cores, its compulsory bytes from their first-level caches.
double ImplausibleBelowNs(const measure::MeasureRequest& request,
                          const workload::Candidate& candidate);

// Why the numbers of a result that is OK cannot be; "" for those that can. Workers test the same
// against what they measured of their own machine, which is closer; this holds against workers.
std::string WhyImplausible(const measure::MeasureResult& result,
                           const measure::MeasureRequest& request,
                           const workload::Candidate& candidate);
// The same of the limits of a machine of this target.
std::string WhyImplausible(const measure::Peak& peak, const target::Target& target);

}  // namespace alt::dispatch

#endif  // SERVER_DISPATCH_PLAUSIBLE_H_
