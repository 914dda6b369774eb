#ifndef COMMON_BASE_HOST_NAME_H_
#define COMMON_BASE_HOST_NAME_H_

#include <string>

namespace alt::base {

// What this machine calls itself; "localhost" when it does not.
std::string HostName();

}  // namespace alt::base

#endif  // COMMON_BASE_HOST_NAME_H_
