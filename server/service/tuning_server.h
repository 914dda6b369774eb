// alt-server without its main: everything between a store and a socket.
#ifndef SERVER_SERVICE_TUNING_SERVER_H_
#define SERVER_SERVICE_TUNING_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/metrics/registry.h"
#include "server/store/tuning_store.h"

namespace alt::service {

struct ServerOptions {
  std::string listen = "127.0.0.1:7440";  // HOST:PORT (port 0: any) or unix:PATH
  bool insecure = false;                  // plaintext beyond this machine
  bool keep_stopped = false;              // unfinished jobs wait for somebody to resume them
};

// Serves from Start until destruction.
class TuningServer {
 public:
  // Everything else must outlive the server. InvalidArgument for an address that cannot be used;
  // Unavailable when it is taken.
  static absl::StatusOr<std::unique_ptr<TuningServer>> Start(ServerOptions options,
                                                             store::TuningStore& store,
                                                             metrics::Registry& registry,
                                                             const base::Clock& clock);
  virtual ~TuningServer() = default;

  // Where clients on this machine reach it.
  virtual const std::string& address() const = 0;

  // Says that it stops, hands out no more work, ends what is held or watched, and returns when all
  // calls have ended; after `patience` it ends those that have not.
  virtual void Drain(absl::Duration patience) = 0;
};

// InvalidArgument when an address that `flag` gives would be heard beyond this machine and that is
// not allowed.
absl::Status CheckPlaintext(absl::string_view flag, absl::string_view listen, bool insecure);

}  // namespace alt::service

#endif  // SERVER_SERVICE_TUNING_SERVER_H_
