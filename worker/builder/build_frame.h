// What the worker and alt-builder say to one another, over a SOCK_SEQPACKET socket (frame.h): one
// BuildRequest, one BuildReply, in turns. What has any length comes along as a memory file. Both
// programs come from one build, so these are plain structs.
//
//   BuildRequest + text      text ::= target '\n' candidate file
//   BuildReply   + object    an ELF relocatable object; none when it failed
#ifndef WORKER_BUILDER_BUILD_FRAME_H_
#define WORKER_BUILDER_BUILD_FRAME_H_

#include <cstdint>

#include "common/runtime/artifact.h"

namespace alt::builder {

inline constexpr uint32_t kBuildVersion = 1;

struct BuildRequest {
  uint32_t version = kBuildVersion;
};

// Whose a failure is.
enum class BuildStep : int32_t {
  kHost,     // not the candidate's
  kLower,    // the candidate does not apply, or lowering fails
  kCompile,  // the code generator refuses it
};

struct BuildReply {
  int32_t code;        // an absl::StatusCode
  BuildStep step;      // not OK: which failed
  char message[4096];  // not OK: why, for people
  // OK: of the artifact.
  char name[64];
  int64_t workspace_bytes;
  runtime::CodeFacts facts;
};

}  // namespace alt::builder

#endif  // WORKER_BUILDER_BUILD_FRAME_H_
