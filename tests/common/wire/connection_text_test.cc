#include "common/wire/connection_text.h"

#include <gtest/gtest.h>

namespace alt::wire {
namespace {

// The messages are those of gRPC 1.51.
TEST(ConnectionReasonTest, TheSystemsReasonIsTakenOutOfTheWrapping) {
  EXPECT_EQ(ConnectionReason(absl::UnavailableError(
                "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed "
                "to connect to remote host: Connection refused")),
            "connection refused");
  EXPECT_EQ(ConnectionReason(absl::UnavailableError(
                "failed to connect to all addresses; last error: UNKNOWN: unix:/tmp/nosock: No "
                "such file or directory")),
            "no such file or directory");
}

TEST(ConnectionReasonTest, ANameThatNobodyKnows) {
  EXPECT_EQ(ConnectionReason(absl::UnavailableError(
                "DNS resolution failed for nowhere.invalid:7440: C-ares status is not "
                "ARES_SUCCESS qtype=AAAA name=nowhere.invalid is_balancer=0: Domain name not "
                "found")),
            "no host of that name is known");
}

TEST(ConnectionReasonTest, WhatIsNotAboutConnectingStaysAsItIs) {
  EXPECT_EQ(ConnectionReason(absl::DeadlineExceededError("Deadline Exceeded")),
            "no answer in time");
  EXPECT_EQ(ConnectionReason(absl::UnavailableError("the server stops")), "the server stops");
}

}  // namespace
}  // namespace alt::wire
