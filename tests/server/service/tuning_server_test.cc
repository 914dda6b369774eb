#include "server/service/tuning_server.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
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

TEST(IsLoopbackTest, KnowsThisMachine) {
  for (const char* address : {"127.0.0.1:1", "127.1.2.3:1", "localhost:1", "[::1]:1", "unix:/s"}) {
    EXPECT_TRUE(IsLoopback(address)) << address;
  }
  for (const char* address : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", ":1", "head01:7440"}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
}

}  // namespace
}  // namespace alt::service
