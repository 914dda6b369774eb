// The child in which candidates run: loads what the worker sends over descriptor 3, runs and times
// it, and dies with it. Started by worker/sandbox/child_channel.cc, never by people.

#include <stdio.h>
#include <sys/socket.h>

#include "worker/runner/runner_server.h"
#include "worker/sandbox/frame.h"

int main() {
  int type = 0;
  socklen_t length = sizeof(type);
  if (getsockopt(alt::sandbox::kChildSocket, SOL_SOCKET, SO_TYPE, &type, &length) != 0 ||
      type != SOCK_SEQPACKET) {
    fprintf(stderr, "alt-runner is started by alt-worker; there is nothing to do for it here\n");
    return 2;
  }
  return alt::runner::RunnerServer(alt::sandbox::kChildSocket).Serve();
}
