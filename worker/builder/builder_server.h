// The side of alt-builder in the protocol of build_frame.h.
#ifndef WORKER_BUILDER_BUILDER_SERVER_H_
#define WORKER_BUILDER_BUILDER_SERVER_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/unique_fd.h"
#include "common/codegen/codegen.h"
#include "common/target/target.h"
#include "worker/builder/build_frame.h"

namespace alt::builder {

// Lowers and compiles what comes over one socket, until that is closed or the process has grown: a
// compile that took much memory does not give all of it back, and a fresh process is cheap.
class BuilderServer {
 public:
  explicit BuilderServer(int socket) : socket_(socket) {}

  // The exit code of the program.
  int Serve();

 private:
  // `step` is the one that fails, if any does.
  absl::StatusOr<runtime::Artifact> Compile(absl::string_view text, BuildStep* step);
  BuildReply Answer(int text, base::UniqueFd* object);
  absl::StatusOr<codegen::Codegen*> CodegenOf(absl::string_view target);

  const int socket_;
  std::map<std::string, std::unique_ptr<codegen::Codegen>, std::less<>> codegens_;  // by target
};

}  // namespace alt::builder

#endif  // WORKER_BUILDER_BUILDER_SERVER_H_
