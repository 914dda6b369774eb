#include "client/kernel_export.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/export_check.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/codegen/elf_symbols.h"
#include "common/codegen/link.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/runtime/kernel_abi.h"
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
  const auto exported = MakeLibrary(request, *kernel, **codegen, codegen::LibraryForm::kObject);
  ALT_CHECK_OK(exported);
  const auto library = codegen::LinkSharedObject(
      exported->contents, {.linker = *codegen::FindLinker(kPath), .temp_dir = dir.path()});
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
       {"int32_t kernel_run(const float* x, const float* w, float* y, void* workspace",
        "int32_t kernel_call(void* const* tensors, void* workspace", "void kernel_pack_x(",
        "void kernel_unpack_y(", "#define KERNEL_WORKSPACE_BYTES 128",
        "#define KERNEL_ALIGNMENT 64", "#define KERNEL_UNALIGNED 1",
        "#define KERNEL_X_ELEMENTS 256", "extern const char kernel_metadata[];"}) {
    EXPECT_NE(header.find(text), std::string::npos) << text << "\n" << header;
  }
}

// What a header for `kernel` declares, and nothing else.
std::vector<std::string> Symbols(const KernelExport& kernel) {
  std::vector<std::string> out = {"kernel_call", "kernel_metadata", "kernel_run"};
  for (const ExportedTensor& tensor : kernel.tensors) {
    out.push_back(tensor.pack);
    if (!tensor.unpack.empty()) out.push_back(tensor.unpack);
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(KernelExportTest, EveryFormHasWhatItsHeaderDeclares) {
  const ExportRequest request = TestExport("conv2d:n=1,ic=4,ih=8,iw=8,oc=4,kh=3,kw=3");
  ALT_ASSERT_OK_AND_ASSIGN(const KernelExport kernel, MakeKernelExport(request));
  ALT_ASSERT_OK_AND_ASSIGN(const auto codegen, codegen::CreateLlvmCodegen(request.target));
  const auto form = [&](codegen::LibraryForm f) {
    return MakeLibrary(request, kernel, *codegen, f)->contents;
  };
  ALT_ASSERT_OK_AND_ASSIGN(const codegen::ElfSymbols object,
                           codegen::ReadElfSymbols(form(codegen::LibraryForm::kObject)));
  EXPECT_EQ(object.exported, Symbols(kernel));
  const std::string assembly = form(codegen::LibraryForm::kAssembly);
  const std::string ir = form(codegen::LibraryForm::kLlvmIr);
  const std::string header = ExportHeader(request, kernel, 0);
  for (const std::string& symbol : Symbols(kernel)) {
    EXPECT_NE(assembly.find(absl::StrCat("\t.globl\t", symbol, "\n")), std::string::npos) << symbol;
    EXPECT_TRUE(ir.find(absl::StrCat("@", symbol, "(")) != std::string::npos ||
                ir.find(absl::StrCat("@", symbol, " = ")) != std::string::npos)
        << symbol;
    EXPECT_TRUE(header.find(absl::StrCat(" ", symbol, "(")) != std::string::npos ||
                header.find(absl::StrCat(" ", symbol, "[]")) != std::string::npos)
        << symbol;
  }
}

class Loaded {
 public:
  Loaded(const testing::TempDir& dir, const ExportRequest& request)
      : handle_(dlopen(WriteLibrary(dir, request).c_str(), RTLD_NOW | RTLD_LOCAL)) {
    ALT_CHECK(handle_ != nullptr);
  }
  ~Loaded() { dlclose(handle_); }
  template <typename F>
  F* Find(const char* symbol) const {
    return reinterpret_cast<F*>(dlsym(handle_, symbol));
  }

 private:
  void* const handle_;
};

using RunFunction = int32_t(const float*, const float*, float*, void*, alt_pool*);
using PackFunction = void(const float*, float*, void*, alt_pool*);

TEST(KernelExportTest, UnalignedTensorsAreRefusedBeforeTheyAreTouched) {
  const testing::TempDir dir;
  const Loaded library(dir, TestExport("matmul:m=8,n=16,k=8"));
  auto* run = library.Find<RunFunction>("kernel_run");
  auto* call = library.Find<int32_t(void* const*, void*, alt_pool*)>("kernel_call");
  alignas(64) float a[64 + 16] = {}, b[128 + 16] = {}, c[128 + 16] = {7};
  for (int off = 0; off < 3; ++off) {
    float* tensors[] = {a + (off == 0), b + (off == 1), c + (off == 2)};
    EXPECT_EQ(run(tensors[0], tensors[1], tensors[2], nullptr, nullptr), 1);
    void* pointers[] = {tensors[0], tensors[1], tensors[2]};
    EXPECT_EQ(call(pointers, nullptr, nullptr), 1);
  }
  EXPECT_EQ(run(a, b, c, reinterpret_cast<void*>(4), nullptr), 1) << "the workspace";
  EXPECT_EQ(c[0], 7) << "nothing is written";
  EXPECT_EQ(run(a, b, c, nullptr, nullptr), 0);
  EXPECT_EQ(c[0], 0);
}

TEST(KernelExportTest, TheCheckOfAlignmentCanBeLeftOut) {
  ExportRequest request = TestExport("matmul:m=8,n=16,k=8");
  ALT_ASSERT_OK_AND_ASSIGN(const KernelExport kernel, MakeKernelExport(request));
  ALT_ASSERT_OK_AND_ASSIGN(const auto codegen, codegen::CreateLlvmCodegen(request.target));
  for (const bool checks : {true, false}) {
    request.check_alignment = checks;
    ALT_ASSERT_OK_AND_ASSIGN(const ExportedLibrary library,
                             MakeLibrary(request, kernel, *codegen, codegen::LibraryForm::kLlvmIr));
    EXPECT_EQ(library.contents.find("unaligned:") != std::string::npos, checks);
  }
}

TEST(KernelExportTest, PackingTakesArraysOfAnyAlignment) {
  const testing::TempDir dir;
  ExportRequest request = TestExport("matmul:m=64,n=64,k=64");
  request.candidate.layouts["b"] = *layout::Parse("split(1,16) reorder(1,0,2)");
  const Loaded library(dir, request);
  auto* pack = library.Find<PackFunction>("kernel_pack_b");
  auto* unpack = library.Find<PackFunction>("kernel_unpack_b");
  std::vector<float> plain(4096 + 16), packed(4096 + 16), back(4096 + 16);
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<float>(i);
  for (const int off : {0, 1, 3}) {
    pack(plain.data() + off, packed.data() + off, nullptr, nullptr);
    EXPECT_EQ(packed[off + 16], plain[off + 64]) << "the first columns of the second row";
    unpack(packed.data() + off, back.data() + off, nullptr, nullptr);
    EXPECT_TRUE(std::equal(back.begin() + off, back.begin() + off + 4096, plain.begin() + off));
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
  for (const char* text : {"", "{}", "[1]", "{\"alt\":2}", "not json"}) {
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

TEST(ExportCheckTest, WhatIsNoLibraryOfOursIsRefused) {
  const testing::TempDir dir;
  const std::string file = dir.File("x.so");
  ALT_ASSERT_OK(base::WriteFileAtomically(file, "#!/bin/sh\n"));
  EXPECT_TRUE(StatusIs(Check(dir, file), absl::StatusCode::kInvalidArgument));
  const std::string library = *base::ReadFile(WriteLibrary(dir, TestExport("matmul:m=8,n=8,k=8")));
  for (size_t n = 0; n < library.size() / 2; n += 977) {  // cut before its symbols
    ALT_ASSERT_OK(base::WriteFileAtomically(file, library.substr(0, n)));
    EXPECT_FALSE(Check(dir, file).ok()) << n;
  }
}

}  // namespace
}  // namespace alt::client
