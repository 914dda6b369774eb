#include "common/base/thread_room.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"

namespace alt::base {
namespace {

void* Wait(void* end) {
  static_cast<absl::Notification*>(end)->WaitForNotification();
  return nullptr;
}

}  // namespace

absl::Status CheckThreadRoom(int threads) {
  rlimit space = {};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    mallopt(M_ARENA_MAX, 1);
  }
  absl::Notification end;
  std::vector<pthread_t> started;
  int error = 0;
  while (error == 0 && static_cast<int>(started.size()) < threads) {
    pthread_t thread;
    error = pthread_create(&thread, nullptr, Wait, &end);
    if (error == 0) started.push_back(thread);
  }
  end.Notify();
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  if (error == 0) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "of ", threads, " threads that it needs, it can start ", started.size(), ": ",
      strerror(error), "; memory (ulimit -v) or processes (ulimit -u) are limited too much"));
}

}  // namespace alt::base
