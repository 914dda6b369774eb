#include "worker/sandbox/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace alt::sandbox {
namespace {

constexpr size_t kMaxFds = 1;

// Room for one SCM_RIGHTS message, aligned as the kernel wants it.
union ControlBuffer {
  cmsghdr header;
  char bytes[CMSG_SPACE(kMaxFds * sizeof(int))];
};

}  // namespace

bool SendFrame(int socket, const void* data, size_t bytes, const int* fds, size_t num_fds) {
  if (num_fds > kMaxFds) {
    errno = EINVAL;
    return false;
  }
  iovec part{.iov_base = const_cast<void*>(data), .iov_len = bytes};
  ControlBuffer control;
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (num_fds > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(num_fds * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(num_fds * sizeof(int));
    memcpy(CMSG_DATA(header), fds, num_fds * sizeof(int));
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes);
}

ssize_t ReceiveFrame(int socket, void* data, size_t capacity, int* fd) {
  *fd = -1;
  iovec part{.iov_base = data, .iov_len = capacity};
  ControlBuffer control;
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof(control.bytes);
  ssize_t got;
  do {
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return got;
  for (cmsghdr* h = CMSG_FIRSTHDR(&message); h != nullptr; h = CMSG_NXTHDR(&message, h)) {
    if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS) {
      memcpy(fd, CMSG_DATA(h), sizeof(int));
    }
  }
  return got;
}

}  // namespace alt::sandbox
