#include "server/service/backup_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/unique_fd.h"
#include "server/service/status_mapping.h"

namespace alt::service {
namespace {

constexpr size_t kMaxCalls = 2;
constexpr size_t kPieceBytes = 1 << 20;

}  // namespace

// Deletes itself when gRPC is done with it.
class BackupCalls::Call : public Reactor {
 public:
  Call(BackupCalls& calls, grpc::CallbackServerContext* context)
      : calls_(calls), context_(context) {
    const bool accepted = calls_.Add(this) && calls_.background_.TrySchedule([this] { Copy(); });
    if (!accepted) Fail(absl::ResourceExhaustedError("too many slow calls at once"));
  }

  void OnWriteDone(bool ok) override {
    calls_.MadeProgress(this);
    if (ok) {
      SendPiece();
    } else {
      Finish(grpc::Status::CANCELLED);
    }
  }
  void OnDone() override {
    calls_.Remove(this);
    delete this;
  }

  void Cancel() { context_->TryCancel(); }

 private:
  void Fail(const absl::Status& status) { Finish(ToGrpc(status)); }

  void Copy() {
    const std::string path = calls_.store_.NewScratchFile();
    const absl::Status status = calls_.store_.Backup(path);
    if (!status.ok()) return Fail(status);
    file_.Reset(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    unlink(path.c_str());  // gone with its last descriptor
    calls_.MadeProgress(this);
    SendPiece();
  }

  void SendPiece() {
    std::string& data = *response_.mutable_data();
    data.resize(kPieceBytes);
    const ssize_t n = read(file_.get(), data.data(), data.size());
    if (n < 0) return Fail(absl::InternalError(absl::StrCat("read the copy: ", strerror(errno))));
    if (n == 0) return Finish(grpc::Status::OK);
    data.resize(static_cast<size_t>(n));
    StartWrite(&response_);
  }

  BackupCalls& calls_;
  grpc::CallbackServerContext* const context_;
  base::UniqueFd file_;
  v1::BackupResponse response_;
};

BackupCalls::BackupCalls(store::TuningStore& store, base::ThreadPool& background,
                         const base::Clock& clock, absl::Duration patience)
    : store_(store),
      background_(background),
      clock_(clock),
      patience_(patience),
      loop_([this] { return NextWake(); }, [this] { CancelStalled(); }) {
  loop_.Start();
}

BackupCalls::Reactor* BackupCalls::Start(grpc::CallbackServerContext* context) {
  return new Call(*this, context);
}

void BackupCalls::CancelAll() {
  absl::MutexLock lock(&mutex_);
  stopping_ = true;
  for (const auto& [call, since] : calls_) call->Cancel();
}

bool BackupCalls::Add(Call* call) {
  absl::MutexLock lock(&mutex_);
  if (stopping_ || calls_.size() >= kMaxCalls) return false;
  // Making the copy takes the time that it takes.
  calls_[call] = absl::InfiniteDuration();
  return true;
}

void BackupCalls::Remove(Call* call) {
  absl::MutexLock lock(&mutex_);
  calls_.erase(call);
}

void BackupCalls::MadeProgress(Call* call) {
  {
    absl::MutexLock lock(&mutex_);
    calls_[call] = clock_.SteadyNow();
  }
  loop_.Post([] {});  // looks anew when to wake
}

absl::Duration BackupCalls::NextWake() {
  absl::MutexLock lock(&mutex_);
  absl::Duration wake = absl::InfiniteDuration();
  for (const auto& [call, since] : calls_) wake = std::min(wake, since + patience_);
  return std::max(wake - clock_.SteadyNow(), absl::ZeroDuration());
}

void BackupCalls::CancelStalled() {
  absl::MutexLock lock(&mutex_);
  for (auto& [call, since] : calls_) {
    if (clock_.SteadyNow() < since + patience_) continue;
    since = absl::InfiniteDuration();  // once is enough
    call->Cancel();
  }
}

}  // namespace alt::service
