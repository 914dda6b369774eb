#include "server/service/tuning_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "absl/strings/match.h"
#include "common/base/unique_fd.h"
#include "server/store/memory_tuning_store.h"
#include "tests/server/service/harness.h"
#include "tests/testing/status_matchers.h"

namespace alt::service {
namespace {

using testing::StatusIs;

class TuningServerTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<TuningServer>> Start(ServerOptions options) {
    return TuningServer::Start(std::move(options), *store_, registry_, clock_);
  }

  base::RealClock clock_;
  metrics::Registry registry_;
  std::unique_ptr<store::TuningStore> store_ = store::MakeMemoryTuningStore();
};

TEST_F(TuningServerTest, ListensOnAFreePort) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, Start({.listen = "127.0.0.1:0"}));
  EXPECT_TRUE(absl::StartsWith(server->address(), "127.0.0.1:"));
  EXPECT_FALSE(absl::EndsWith(server->address(), ":0"));
  const auto client = client::TuningClient::Connect(server->address());
  ALT_EXPECT_OK(client->WaitUntilServing(absl::Seconds(30)));
}

TEST_F(TuningServerTest, RefusesAPortThatIsTaken) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, Start({.listen = "127.0.0.1:0"}));
  EXPECT_TRUE(StatusIs(Start({.listen = server->address()}), absl::StatusCode::kAlreadyExists,
                       server->address()));
}

TEST_F(TuningServerTest, RefusesPlaintextBeyondThisMachine) {
  EXPECT_TRUE(
      StatusIs(Start({.listen = "0.0.0.0:0"}), absl::StatusCode::kInvalidArgument, "--insecure"));
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, Start({.listen = "0.0.0.0:0", .insecure = true}));
  EXPECT_TRUE(absl::StartsWith(server->address(), "127.0.0.1:"));
}

TEST_F(TuningServerTest, RefusesWhatIsNoAddress) {
  EXPECT_TRUE(StatusIs(Start({.listen = "7440"}), absl::StatusCode::kInvalidArgument));
}

TEST_F(TuningServerTest, TakesNoSocketFromALiveServerAndReplacesADeadOnes) {
  const testing::TempDir dir;
  const std::string listen = "unix:" + dir.File("s");
  ALT_ASSERT_OK_AND_ASSIGN(auto server, Start({.listen = listen}));
  EXPECT_TRUE(StatusIs(Start({.listen = listen}), absl::StatusCode::kAlreadyExists, listen));
  const auto client = client::TuningClient::Connect(listen);
  ALT_EXPECT_OK(client->WaitUntilServing(absl::Seconds(30)));
  server.reset();
  // As a server that was killed leaves it.
  const base::UniqueFd dead(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, dir.File("s").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(dead.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ALT_EXPECT_OK(Start({.listen = listen}).status());
}

TEST_F(TuningServerTest, ADrainedServerServesNobody) {
  ALT_ASSERT_OK_AND_ASSIGN(const auto server, Start({.listen = "127.0.0.1:0"}));
  const auto client = client::TuningClient::Connect(server->address());
  ALT_ASSERT_OK(client->WaitUntilServing(absl::Seconds(30)));
  server->Drain(absl::Seconds(5));
  EXPECT_FALSE(client->WaitUntilServing(absl::ZeroDuration()).ok());
}

TEST(CheckPlaintextTest, NamesTheFlagThatLetsItOut) {
  EXPECT_TRUE(StatusIs(CheckPlaintext("--http", "0.0.0.0:1", false),
                       absl::StatusCode::kInvalidArgument, "--http=0.0.0.0:1"));
  ALT_EXPECT_OK(CheckPlaintext("--http", "0.0.0.0:1", true));
  ALT_EXPECT_OK(CheckPlaintext("--http", "localhost:1", false));
}

}  // namespace
}  // namespace alt::service
