#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/kernel_export.h"
#include "common/base/file.h"
#include "common/base/parse.h"
#include "common/base/status_macros.h"
#include "common/codegen/link.h"
#include "common/codegen/llvm/llvm_codegen.h"
#include "common/target/host.h"

namespace alt::cli {
namespace {

class CompileCommand : public Command {
 public:
  std::string name() const override { return "compile"; }
  std::string summary() const override {
    return "Export a workload's best known kernel as .so, .o, .s or .ll, with a C header";
  }
  std::string examples() const override {
    return "  alt compile matmul:m=512,n=512,k=512 -o gemm.so && alt run gemm.so --check\n"
           "  alt compile matmul:m=512,n=512,k=512 -o lib/gemm.o --name=my_gemm\n"
           "  alt compile conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,pad=1 -o conv.ll "
           "--candidate=mine.alt\n";
  }

  void Declare(CLI::App& app) override {
    arguments_.Declare(app, /*with_cache=*/false);
    app.add_option("-o,--output", output_, "OUT.so, OUT.o, OUT.ll or OUT.s")->required();
    app.add_option("--name", name_, "prefix of the symbols; default: from the file's name");
    app.add_option("--candidate", candidate_file_, "export the candidate in this file instead")
        ->type_name("FILE");
    app.add_flag("--unchecked", unchecked_, "leave out the check that pointers are aligned");
    app.add_flag("--any-target", any_target_, "the nearest workload may be one of another target");
  }

  absl::Status Run(Context& context) override {
    const std::string ending = std::filesystem::path(output_).extension().string();
    if (ending != ".so" && ending != ".o" && ending != ".ll" && ending != ".s") {
      return UsageError(absl::StrCat("cannot write ", output_),
                        absl::StrCat("unknown ending ", base::Quoted(ending)),
                        "-o with a file that ends with .so, .o, .ll or .s");
    }
    ALT_RETURN_IF_ERROR(CheckFolder());
    ALT_ASSIGN_OR_RETURN(const client::ExportRequest request, MakeRequest(context));
    ALT_ASSIGN_OR_RETURN(const client::KernelExport kernel, client::MakeKernelExport(request),
                         Explain(_, "cannot lower the candidate"));
    ALT_ASSIGN_OR_RETURN(const auto codegen, codegen::CreateLlvmCodegen(request.target));
    ALT_ASSIGN_OR_RETURN(client::ExportedLibrary library,
                         client::MakeLibrary(request, kernel, *codegen, FormOf(ending)));
    if (ending == ".so") {
      const Environment& environment = context.environment;
      ALT_ASSIGN_OR_RETURN(const std::string linker, codegen::FindLinker(environment.path));
      ALT_ASSIGN_OR_RETURN(
          library.contents,
          codegen::LinkSharedObject(library.contents,
                                    {.linker = linker, .temp_dir = environment.temp_dir}));
    }
    const std::string header = std::filesystem::path(output_).replace_extension(".h").string();
    ALT_RETURN_IF_ERROR(Write(output_, library.contents));
    ALT_RETURN_IF_ERROR(Write(header, library.header));
    Print(context, request, {output_, header});
    return absl::OkStatus();
  }

 private:
  static absl::Status Write(const std::string& path, absl::string_view contents) {
    return Explain(base::WriteFileAtomically(path, contents), absl::StrCat("cannot write ", path),
                   "name another file with -o");
  }

  static codegen::LibraryForm FormOf(absl::string_view ending) {
    if (ending == ".ll") return codegen::LibraryForm::kLlvmIr;
    return ending == ".s" ? codegen::LibraryForm::kAssembly : codegen::LibraryForm::kObject;
  }

  // Before anything else is done: what is made would find no place.
  absl::Status CheckFolder() const {
    const std::string folder = std::filesystem::path(output_).parent_path().string();
    if (folder.empty() || access(folder.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
    const int error = errno;
    return CliError(error == ENOENT || error == ENOTDIR ? ExitCode::kUsage : ExitCode::kDenied,
                    absl::StrCat("cannot write ", output_),
                    absl::StrCat("the folder ", folder, ": ", strerror(error)),
                    "name a file in a folder that exists and that you may write to");
  }

  absl::StatusOr<client::ExportRequest> MakeRequest(Context& context) {
    client::ExportRequest out{.name = name_.empty() ? client::NameFromPath(output_) : name_,
                              .check_alignment = !unchecked_};
    if (out.name != client::NameFromPath(out.name + ".o")) {
      return UsageError(absl::StrCat("cannot use --name=", base::Quoted(out.name)),
                        "not a C identifier");
    }
    ALT_ASSIGN_OR_RETURN(out.workload, arguments_.ReadWorkload());
    ALT_ASSIGN_OR_RETURN(const job::FixedLayouts fix, arguments_.ReadFix(out.workload));
    if (!candidate_file_.empty()) {
      ALT_ASSIGN_OR_RETURN(const workload::CandidateFile file,
                           ReadCandidateFile(candidate_file_, out.workload));
      out.candidate = file.candidate;
      ALT_ASSIGN_OR_RETURN(out.target, arguments_.target.ResolveLocally());
      out.origin = {{"source", "given"}, {"file", candidate_file_}};
      return out;
    }
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, Access::kRead));
    ALT_ASSIGN_OR_RETURN(out.target, arguments_.target.Resolve(*session, context, /*waits=*/false));
    ALT_ASSIGN_OR_RETURN(const job::Answer answer,
                         session->client().Query({.workload = out.workload,
                                                  .target = out.target,
                                                  .fixed_layouts = fix,
                                                  .any_target = any_target_}));
    out.candidate = answer.candidate;
    out.origin = {{"source", std::string(job::AnswerSourceName(answer.source))},
                  {"record", answer.record.empty() ? "none" : answer.record}};
    if (answer.source != job::AnswerSource::kExact) {
      out.origin["reason"] = answer.reason;
      Note(absl::StrCat(
          "not tuned: ", answer.reason, "\nnext: ",
          session->CommandLine(absl::StrCat("tune ", ShellWord(ShortName(out.workload)),
                                            TargetOption(*session, out.target))),
          "\n"));
    }
    return out;
  }

  static void Print(Context& context, const client::ExportRequest& request,
                    const std::vector<std::string>& files) {
    context.result = {{"files", files},
                      {"name", request.name},
                      {"workload", workload::Print(request.workload)},
                      {"target", target::PrintTarget(request.target)}};
    for (const auto& [key, value] : request.origin) context.result[key] = value;
    if (context.options.json) return;
    for (const std::string& file : files) Out(absl::StrCat(file, "\n"));
    if (absl::EndsWith(files[0], ".so") && target::HostRuns(request.target)) {
      Note(absl::StrCat("next: ", ShellWord(context.environment.program), " run ",
                        ShellWord(files[0]), " --check\n"));
    }
  }

  WorkloadArguments arguments_;
  std::string output_, name_, candidate_file_;
  bool any_target_ = false, unchecked_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCompileCommand() { return std::make_unique<CompileCommand>(); }

}  // namespace alt::cli
