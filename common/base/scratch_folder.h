// Folders for short-lived files, gone with their owner: also after kill -9, at the next sweep.
#ifndef COMMON_BASE_SCRATCH_FOLDER_H_
#define COMMON_BASE_SCRATCH_FOLDER_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/unique_fd.h"

namespace alt::base {

// A new folder of ours alone, removed with what is in it at the end. As long as it lives the folder
// itself is locked (flock), which tells it from one that was left behind, in whatever container its
// owner ran.
class ScratchFolder {
 public:
  // <parent>/<prefix>XXXXXX, mode 0700.
  static absl::StatusOr<std::unique_ptr<ScratchFolder>> Create(const std::string& parent,
                                                               absl::string_view prefix);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }
  // path() / name
  std::string File(absl::string_view name) const;

 private:
  ScratchFolder(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  const std::string path_;
  const UniqueFd lock_;
};

// Removes what owners that ended without a word have left: folders of this user in `parent` whose
// names begin with `prefix` and that nobody holds. To be called before work begins; returns how
// many there were.
int SweepScratchFolders(const std::string& parent, absl::string_view prefix);

}  // namespace alt::base

#endif  // COMMON_BASE_SCRATCH_FOLDER_H_
