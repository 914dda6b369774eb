#include "client/link_export.h"

#include <gtest/gtest.h>

#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::client {
namespace {

using testing::StatusIs;

TEST(LinkExportTest, MetadataIsAStringOfItsOwnSymbol) {
  const std::string text = MetadataAssembly("k_metadata", "{\"a\": \"b\\n\"}");
  EXPECT_NE(text.find(".globl k_metadata"), std::string::npos);
  EXPECT_NE(text.find(R"(.asciz "{\"a\": \"b\\n\"}")"), std::string::npos) << text;
}

TEST(LinkExportTest, AliasesAreSymbolsToo) {
  EXPECT_NE(AliasAssembly({{"k_run", "kernel_0"}}).find(".set k_run, kernel_0"), std::string::npos);
  EXPECT_EQ(AliasAssembly({}), "");
}

TEST(LinkExportTest, WithoutBinutilsTheErrorSaysWhatToInstall) {
  const testing::TempDir dir;
  EXPECT_TRUE(
      StatusIs(LinkObject({.object = "x", .search_path = dir.path(), .temp_dir = dir.path()}),
               absl::StatusCode::kNotFound, "install binutils"));
}

TEST(LinkExportTest, WhatIsNoObjectIsAnErrorOfTheLinker) {
  const testing::TempDir dir;
  EXPECT_TRUE(StatusIs(LinkObject({.object = "not an object",
                                   .metadata_symbol = "m",
                                   .search_path = "/usr/local/bin:/usr/bin:/bin",
                                   .temp_dir = dir.path()}),
                       absl::StatusCode::kInternal, "kernel.o"));
}

// Whatever a file holds: an answer, never a read outside of it.
TEST(LinkExportTest, DamagedSharedObjectsAreRefused) {
  EXPECT_TRUE(StatusIs(FindDynamicSymbol("", "_run"), absl::StatusCode::kInvalidArgument));
  EXPECT_TRUE(StatusIs(FindDynamicSymbol("#!/bin/sh\n", "_run"), absl::StatusCode::kInvalidArgument,
                       "not a shared object"));
  std::string header = std::string(
                           "\x7f"
                           "ELF\x02\x01\x01",
                           7) +
                       std::string(57, '\0');
  header[16] = 3;  // a shared object, without sections
  EXPECT_TRUE(StatusIs(FindDynamicSymbol(header, "_run"), absl::StatusCode::kNotFound, "_run"));
  for (size_t i = 16; i < header.size(); ++i) {
    std::string damaged = header;
    damaged[i] = '\xff';
    EXPECT_FALSE(FindDynamicSymbol(damaged, "_run").ok()) << i;
    EXPECT_FALSE(FindDynamicSymbol(damaged.substr(0, i), "_run").ok()) << i;
  }
}

}  // namespace
}  // namespace alt::client
