// The child in which candidates are compiled: LLVM cannot be interrupted, but a process can be
// ended. Lowers and compiles what the worker sends over descriptor 3, and dies with it. Started by
// worker/sandbox/child_channel.cc, never by people.

#include <stdio.h>
#include <sys/socket.h>

#include "worker/builder/builder_server.h"
#include "worker/sandbox/frame.h"

int main() {
  int type = 0;
  socklen_t length = sizeof(type);
  if (getsockopt(alt::sandbox::kChildSocket, SOL_SOCKET, SO_TYPE, &type, &length) != 0 ||
      type != SOCK_SEQPACKET) {
    fprintf(stderr, "alt-builder is started by alt-worker; there is nothing to do for it here\n");
    return 2;
  }
  return alt::builder::BuilderServer(alt::sandbox::kChildSocket).Serve();
}
