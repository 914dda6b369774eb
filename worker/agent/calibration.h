// How fast this machine is, measured once and kept in the state folder.
#ifndef WORKER_AGENT_CALIBRATION_H_
#define WORKER_AGENT_CALIBRATION_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "common/measure/environment.h"

namespace alt::agent {

// The file holds one "name=value" a line: of what machine it is, then the numbers; a cache is
// "cache0=level bytes gbs". `machine` is any
// text without line breaks that changes when the machine does. None when there is no such file, or
// it is of another machine.
std::optional<measure::Peak> ReadCalibration(const std::string& path, const std::string& machine);
absl::Status WriteCalibration(const std::string& path, const std::string& machine,
                              const measure::Peak& peak);

}  // namespace alt::agent

#endif  // WORKER_AGENT_CALIBRATION_H_
