#ifndef COMMON_BASE_STATE_DIR_H_
#define COMMON_BASE_STATE_DIR_H_

#include <string>

#include "absl/strings/string_view.h"

namespace alt::base {

// Where a user's programs keep what they need again, by the XDG base directory specification:
// alt in $XDG_STATE_HOME, else in .local/state of $HOME; a path that is not absolute counts as not
// set. Without $HOME it is the home of the user database, `user_home`. Empty when that is none
// either: a folder that everybody writes to is no place for it.
std::string StateDir(absl::string_view xdg_state_home, absl::string_view home,
                     absl::string_view user_home);

// The home of the user that runs this process, by the user database; empty when it has none.
std::string UserHome();

}  // namespace alt::base

#endif  // COMMON_BASE_STATE_DIR_H_
