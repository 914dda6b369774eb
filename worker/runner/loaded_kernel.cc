#include "worker/runner/loaded_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <algorithm>

namespace alt::runner {
namespace {

constexpr size_t kMaxCopies = 256;
constexpr size_t kPageBytes = 4096;
constexpr char kPoison = '\xff';  // floats of it are NaNs

std::string PathOf(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// The loader knows libraries by name, and a library that refused to be unloaded still holds the
// name of its descriptor: such a number must not be used again.
base::UniqueFd WithFreshName(base::UniqueFd fd) {
  while (fd.valid()) {
    void* const known = dlopen(PathOf(fd.get()).c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (known == nullptr) break;
    dlclose(known);
    fd = base::UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, fd.get() + 1));
  }
  return fd;
}

std::unique_ptr<LoadedKernel> Refuse(Problem* problem, std::string message,
                                     Problem::Cause cause = Problem::Cause::kHost) {
  *problem = {std::move(message), cause};
  return nullptr;
}

// The loader has no error numbers, only words.
Problem::Cause CauseOf(const std::string& message) {
  const auto says = [&](const char* words) { return message.find(words) != std::string::npos; };
  if (says("allocate memory")) return Problem::Cause::kMemory;
  for (int error : {EMFILE, ENFILE, ENOENT}) {
    if (says(strerror(error))) return Problem::Cause::kHost;
  }
  return Problem::Cause::kKernel;
}

std::string LoaderMessage() {
  const char* message = dlerror();
  return message == nullptr ? "unknown error" : message;
}

}  // namespace

std::unique_ptr<LoadedKernel> LoadedKernel::Load(const sandbox::LoadRequest& request,
                                                 base::UniqueFd fd, const OperandMemory& memory,
                                                 alt_pool* pool, Problem* problem) {
  std::unique_ptr<LoadedKernel> kernel(new LoadedKernel());
  kernel->pool_ = pool;
  if (request.num_params < 0 || request.num_params > sandbox::kMaxParams) {
    return Refuse(problem, "load: too many parameters");
  }
  kernel->sets_.emplace_back();
  for (int i = 0; i < request.num_params; ++i) {
    char* const param = memory.Find(request.params[i]);
    if (param == nullptr) return Refuse(problem, "load: a parameter is not attached");
    kernel->sets_[0].push_back(param);
    kernel->buffers_.push_back(request.params[i].buffer);
    kernel->param_bytes_.push_back(static_cast<size_t>(request.params[i].bytes));
  }
  const int threads = pool == nullptr ? 1 : pool->threads;
  const size_t workspace = static_cast<size_t>(request.workspace_bytes) * threads;
  kernel->workspace_bytes_ = workspace;
  if (workspace > 0) {
    kernel->workspace_memory_ = runtime::HugeBuffer(workspace + 2 * kPageBytes);
    if (kernel->workspace_memory_.data() == nullptr) {
      return Refuse(problem, "no memory for a workspace of " + std::to_string(workspace) + " bytes",
                    Problem::Cause::kMemory);
    }
  }
  kernel->fd_ = WithFreshName(std::move(fd));
  if (!kernel->fd_.valid()) return Refuse(problem, "load: no descriptor for the shared object");
  kernel->library_ = dlopen(PathOf(kernel->fd_.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (kernel->library_ == nullptr) {
    const std::string message = LoaderMessage();
    return Refuse(problem, "dlopen: " + message, CauseOf(message));
  }
  const std::string symbol(request.symbol, strnlen(request.symbol, sizeof(request.symbol)));
  kernel->function_ = reinterpret_cast<alt_kernel>(dlsym(kernel->library_, symbol.c_str()));
  if (kernel->function_ == nullptr) {
    return Refuse(problem, "dlsym: " + LoaderMessage(), Problem::Cause::kKernel);
  }
  return kernel;
}

LoadedKernel::~LoadedKernel() {
  if (library_ != nullptr) dlclose(library_);
}

char* LoadedKernel::workspace() const {
  return workspace_bytes_ == 0 ? nullptr
                               : static_cast<char*>(workspace_memory_.data()) + kPageBytes;
}

void LoadedKernel::PoisonWorkspace() {
  if (workspace_bytes_ > 0) memset(workspace_memory_.data(), kPoison, workspace_memory_.bytes());
}

bool LoadedKernel::WroteOutOfWorkspace() const {
  if (workspace_bytes_ == 0) return false;
  const auto whole = [](const char* band) {
    return std::all_of(band, band + kPageBytes, [](char c) { return c == kPoison; });
  };
  return !whole(workspace() - kPageBytes) || !whole(workspace() + workspace_bytes_);
}

bool LoadedKernel::Rotate(int64_t bytes) {
  StopRotating();
  size_t set_bytes = 0;
  for (size_t b : param_bytes_) set_bytes += b;
  const size_t wanted = static_cast<size_t>(bytes) / std::max<size_t>(1, set_bytes) + 1;
  while (sets_.size() < std::min(wanted, kMaxCopies)) {
    std::vector<void*> set;
    for (size_t i = 0; i < param_bytes_.size(); ++i) {
      // Where in its page the operand starts is kept: operands that all start alike would evict
      // one another's lines.
      const size_t offset = reinterpret_cast<uintptr_t>(sets_[0][i]) % kPageBytes;
      runtime::HugeBuffer copy(offset + param_bytes_[i]);
      if (copy.data() == nullptr) return false;
      char* const start = static_cast<char*>(copy.data()) + offset;
      memcpy(start, sets_[0][i], param_bytes_[i]);
      set.push_back(start);
      copies_.push_back(std::move(copy));
    }
    sets_.push_back(std::move(set));
  }
  return true;
}

void LoadedKernel::StopRotating() {
  sets_.resize(1);
  copies_.clear();
  next_set_ = 0;
}

}  // namespace alt::runner
