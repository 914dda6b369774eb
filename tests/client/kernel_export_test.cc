#include "client/kernel_export.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "client/export_check.h"
#include "client/link_export.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/codegen/link.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/target/host.h"
#include "tests/testing/paths.h"
#include "tests/testing/status_matchers.h"

namespace alt::client {
namespace {

using testing::StatusIs;

constexpr char kPath[] = "/usr/local/bin:/usr/bin:/bin";

ExportRequest TestExport(const std::string& workload) {
  return {.workload = *workload::Parse(workload),
          .target = target::HostTarget(1),
          .name = "kernel",
          .origin = {{"source", "given"}}};
}

// Writes a shared object as `alt compile` does.
std::string WriteLibrary(const testing::TempDir& dir, const ExportRequest& request) {
  const auto kernel = MakeKernelExport(request);
  ALT_CHECK_OK(kernel);
  const auto codegen = codegen::CreateLlvmCodegen(request.target);
  ALT_CHECK_OK(codegen);
  const auto artifact = (*codegen)->Compile(kernel->module);
  ALT_CHECK_OK(artifact);
  const auto object =
      LinkObject({.object = artifact->object,
                  .aliases = kernel->aliases,
                  .metadata_symbol = "kernel_metadata",
                  .metadata = ExportMetadata(request, *kernel, artifact->workspace_bytes),
                  .search_path = kPath,
                  .temp_dir = dir.path()});
  ALT_CHECK_OK(object);
  const auto library = codegen::LinkSharedObject(
      *object, {.linker = *codegen::FindLinker(kPath), .temp_dir = dir.path()});
  ALT_CHECK_OK(library);
  ALT_CHECK_OK(base::WriteFileAtomically(dir.File("kernel.so"), *library));
  return dir.File("kernel.so");
}

absl::StatusOr<CheckReport> Check(const testing::TempDir& dir, const std::string& library) {
  return CheckExport({.library = library, .search_path = kPath, .temp_dir = dir.path()});
}

TEST(KernelExportTest, AMatmulWithAPackedOperandIsRight) {
  const testing::TempDir dir;
  ExportRequest request = TestExport("matmul:m=7,n=20,k=9");
  request.candidate.layouts["b"] = *layout::Parse("split(1,8) reorder(1,0,2)");
  ALT_ASSERT_OK_AND_ASSIGN(const CheckReport report, Check(dir, WriteLibrary(dir, request)));
  EXPECT_TRUE(report.ok) << report.max_abs_error;
  EXPECT_LT(report.max_rel_error, 1e-5);
  EXPECT_EQ(report.workload, workload::Print(request.workload));
}

TEST(KernelExportTest, AConstantThatIsComputedIsPackedFromItsSource) {
  const testing::TempDir dir;
  ExportRequest request = TestExport("conv2d:n=1,ic=4,ih=8,iw=8,oc=4,kh=3,kw=3,pad=1");
  request.candidate.algorithm.rewrites = {workload::Winograd{2, 2}};
  ALT_ASSERT_OK_AND_ASSIGN(const KernelExport kernel, MakeKernelExport(request));
  ASSERT_EQ(kernel.tensors.size(), 3u);
  EXPECT_EQ(kernel.tensors[1].name, "w");
  EXPECT_EQ(kernel.tensors[1].pack, "kernel_pack_w");
  EXPECT_TRUE(kernel.tensors[1].unpack.empty());
  ALT_ASSERT_OK_AND_ASSIGN(const CheckReport report, Check(dir, WriteLibrary(dir, request)));
  EXPECT_TRUE(report.ok) << report.max_abs_error;
}

TEST(KernelExportTest, ASourceOfAComputedConstantIsPlainWhateverItsLayout) {
  const testing::TempDir dir;
  ExportRequest request = TestExport("conv2d:n=1,ic=4,ih=8,iw=8,oc=6,kh=3,kw=3,pad=1");
  request.candidate.algorithm.rewrites = {workload::Winograd{2, 2}};
  for (const char* layout : {"reorder(1,0,2,3)", "split(0,48)"}) {
    request.candidate.layouts["w"] = *layout::Parse(layout);
    ALT_ASSERT_OK_AND_ASSIGN(const CheckReport report, Check(dir, WriteLibrary(dir, request)));
    EXPECT_TRUE(report.ok) << layout << ": " << report.max_abs_error;
  }
}

TEST(KernelExportTest, AWrongKernelIsFound) {
  const testing::TempDir dir;
  ExportRequest request = TestExport("matmul:m=8,n=8,k=8");
  const std::string right = WriteLibrary(dir, request);
  // The same library under the description of another workload.
  std::string bytes = *base::ReadFile(right);
  const size_t at = bytes.find("trans_b=0");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 8] = '1';
  ALT_ASSERT_OK(base::WriteFileAtomically(dir.File("wrong.so"), bytes));
  ALT_ASSERT_OK_AND_ASSIGN(const CheckReport report, Check(dir, dir.File("wrong.so")));
  EXPECT_FALSE(report.ok);
  EXPECT_GT(report.max_abs_error, 0.01);
}

TEST(KernelExportTest, AKernelForAnotherMachineIsNotCalled) {
  const testing::TempDir dir;
  ExportRequest request = TestExport("matmul:m=8,n=8,k=8");
  request.target = *target::ParseTarget("cpu:mcpu=knl");  // which no machine of today is
  const absl::Status status = Check(dir, WriteLibrary(dir, request)).status();
  EXPECT_TRUE(StatusIs(status, absl::StatusCode::kUnimplemented, "is for cpu:mcpu=knl,vec=512"));
  EXPECT_TRUE(StatusIs(status, absl::StatusCode::kUnimplemented,
                       "this machine is " + target::PrintTarget(target::HostTarget(1))));
}

TEST(KernelExportTest, AKernelForAllMachinesIsCalled) {
  const testing::TempDir dir;
  ExportRequest request = TestExport("matmul:m=8,n=8,k=8");
  request.target = *target::ParseTarget("cpu:mcpu=x86-64,threads=3");
  ALT_ASSERT_OK_AND_ASSIGN(const CheckReport report, Check(dir, WriteLibrary(dir, request)));
  EXPECT_TRUE(report.ok) << report.max_abs_error;
}

TEST(KernelExportTest, TheHeaderDeclaresEverySymbol) {
  const ExportRequest request = TestExport("conv2d:n=1,ic=4,ih=8,iw=8,oc=4,kh=3,kw=3");
  ALT_ASSERT_OK_AND_ASSIGN(const KernelExport kernel, MakeKernelExport(request));
  const std::string header = ExportHeader(request, kernel, 128);
  for (const char* text :
       {"void kernel_run(const float* x, const float* w, float* y, void* workspace",
        "void kernel_pack_x(", "void kernel_unpack_y(", "#define KERNEL_WORKSPACE_BYTES 128",
        "#define KERNEL_X_ELEMENTS 256", "extern const char kernel_metadata[];"}) {
    EXPECT_NE(header.find(text), std::string::npos) << text << "\n" << header;
  }
}

TEST(KernelExportTest, MetadataComesBack) {
  ExportRequest request = TestExport("matmul:m=7,n=20,k=9");
  request.candidate.layouts["b"] = *layout::Parse("split(1,8) reorder(1,0,2)");
  ALT_ASSERT_OK_AND_ASSIGN(const KernelExport kernel, MakeKernelExport(request));
  ALT_ASSERT_OK_AND_ASSIGN(const ExportDescription back,
                           ReadMetadata(ExportMetadata(request, kernel, 64)));
  EXPECT_EQ(back.name, "kernel");
  EXPECT_EQ(back.workload, request.workload);
  EXPECT_EQ(back.target, request.target);
  EXPECT_EQ(back.workspace_bytes, 64);
  ASSERT_EQ(back.tensors.size(), 3u);
  EXPECT_EQ(back.tensors[1].layout, "split(1,8) reorder(1,0,2)");
  EXPECT_EQ(back.tensors[1].shape, (std::vector<int64_t>{3, 9, 8}));
  for (const char* text : {"", "{}", "[1]", "{\"alt\":1}", "not json"}) {
    EXPECT_TRUE(StatusIs(ReadMetadata(text), absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST(KernelExportTest, AnOriginThatIsNotUtf8IsNoObstacle) {
  ExportRequest request = TestExport("matmul:m=7,n=20,k=9");
  request.origin["file"] = "caf\xe9.txt";
  ALT_ASSERT_OK_AND_ASSIGN(const KernelExport kernel, MakeKernelExport(request));
  const std::string metadata = ExportMetadata(request, kernel, 64);
  EXPECT_NE(metadata.find("caf\xef\xbf\xbd.txt"), std::string::npos) << metadata;
  ALT_EXPECT_OK(ReadMetadata(metadata).status());
}

TEST(NameFromPathTest, IsAlwaysAnIdentifier) {
  EXPECT_EQ(NameFromPath("out/my-conv.v2.so"), "my_conv_v2");
  EXPECT_EQ(NameFromPath("3x3.o"), "kernel_3x3");
  EXPECT_EQ(NameFromPath(".so"), "kernel_");
}

TEST(LinkExportTest, FindsTheOneSymbol) {
  const testing::TempDir dir;
  const std::string library = *base::ReadFile(WriteLibrary(dir, TestExport("matmul:m=8,n=8,k=8")));
  EXPECT_EQ(*FindDynamicSymbol(library, "_metadata"), "kernel_metadata");
  EXPECT_TRUE(StatusIs(FindDynamicSymbol(library, "_nothing"), absl::StatusCode::kNotFound));
  EXPECT_TRUE(
      StatusIs(FindDynamicSymbol(library, "_run"), absl::StatusCode::kInvalidArgument, "several"));
  const auto bad = absl::StatusCode::kInvalidArgument;
  EXPECT_TRUE(StatusIs(FindDynamicSymbol("", "_metadata"), bad));
  EXPECT_TRUE(StatusIs(
      FindDynamicSymbol("not an object at all, but long enough to hold one.....", "_metadata"),
      bad));
}

TEST(LinkExportTest, DamagedFilesAreNoDanger) {
  const testing::TempDir dir;
  const std::string library = *base::ReadFile(WriteLibrary(dir, TestExport("matmul:m=8,n=8,k=8")));
  for (size_t n = 0; n < library.size(); n += 97) {
    FindDynamicSymbol(absl::string_view(library).substr(0, n), "_metadata").IgnoreError();
    std::string flipped = library;
    flipped[n] = static_cast<char>(flipped[n] ^ 0xff);
    FindDynamicSymbol(flipped, "_metadata").IgnoreError();
  }
}

TEST(LinkExportTest, MissingToolsAreNamed) {
  EXPECT_TRUE(StatusIs(LinkObject({.search_path = "/nowhere", .temp_dir = "/tmp"}),
                       absl::StatusCode::kNotFound, "binutils"));
}

TEST(LinkExportTest, MetadataIsEscaped) {
  EXPECT_NE(MetadataAssembly("m", "{\"a\":\"b\\n\"}").find(R"(.asciz "{\"a\":\"b\\n\"}")"),
            std::string::npos);
}

}  // namespace
}  // namespace alt::client
