#ifndef CLIENT_DATABASE_COPY_H_
#define CLIENT_DATABASE_COPY_H_

#include <string>

#include "absl/status/status.h"

namespace alt::client {

// Copies a database file together with SQLite's log beside it, taking no lock and writing nothing
// there: for whoever may only read them. A server may be at work on them meanwhile: the log only
// grows until its frames move into the file, and when that happens both are copied anew.
// Unavailable when it happens all the time; NotFound and PermissionDenied as the system says.
absl::Status CopyDatabase(const std::string& from, const std::string& to);

}  // namespace alt::client

#endif  // CLIENT_DATABASE_COPY_H_
