#include <CLI/CLI.hpp>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/kernel_export.h"
#include "client/link_export.h"
#include "common/base/file.h"
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
    return "Export a workload's best known kernel: .so, .o (with a C header), .ll or .s";
  }

  void Declare(CLI::App& app) override {
    arguments_.Declare(app, /*with_cache=*/false);
    app.add_option("-o,--output", output_, "OUT.so, OUT.o, OUT.ll or OUT.s")->required();
    app.add_option("--name", name_, "prefix of the symbols; default: from the file's name");
    app.add_option("--candidate", candidate_file_, "export the candidate in this file instead")
        ->type_name("FILE");
    app.add_flag("--any-target", any_target_, "the nearest workload may be one of another target");
  }

  absl::Status Run(Context& context) override {
    const std::string ending = std::filesystem::path(output_).extension().string();
    if (ending != ".so" && ending != ".o" && ending != ".ll" && ending != ".s") {
      return UsageError(absl::StrCat("cannot write ", output_),
                        absl::StrCat("unknown ending '", ending, "'"),
                        "-o with a file that ends with .so, .o, .ll or .s");
    }
    ALT_ASSIGN_OR_RETURN(const client::ExportRequest request, MakeRequest(context));
    ALT_ASSIGN_OR_RETURN(const client::KernelExport kernel, client::MakeKernelExport(request),
                         Explain(_, "cannot lower the candidate"));
    ALT_ASSIGN_OR_RETURN(const auto codegen, codegen::CreateLlvmCodegen(request.target));
    std::vector<std::string> files = {output_};
    if (ending == ".ll") {
      ALT_ASSIGN_OR_RETURN(const std::string text, codegen->LlvmIr(kernel.module));
      ALT_RETURN_IF_ERROR(base::WriteFileAtomically(output_, text));
    } else if (ending == ".s") {
      ALT_RETURN_IF_ERROR(WriteAssembly(request, kernel, *codegen));
    } else {
      ALT_ASSIGN_OR_RETURN(const std::string header,
                           WriteBinary(context, ending, request, kernel, *codegen));
      files.push_back(header);
    }
    Print(context, request, files);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<client::ExportRequest> MakeRequest(Context& context) {
    client::ExportRequest out{.name = name_.empty() ? client::NameFromPath(output_) : name_};
    if (out.name != client::NameFromPath(out.name + ".o")) {
      return UsageError(absl::StrCat("cannot use --name=", out.name), "not a C identifier");
    }
    ALT_ASSIGN_OR_RETURN(out.workload, arguments_.ReadWorkload());
    ALT_ASSIGN_OR_RETURN(const client::FixedLayouts fix, arguments_.ReadFix(out.workload));
    if (!candidate_file_.empty()) {
      ALT_ASSIGN_OR_RETURN(const workload::CandidateFile file,
                           ReadCandidateFile(candidate_file_, out.workload));
      out.candidate = file.candidate;
      ALT_ASSIGN_OR_RETURN(out.target, arguments_.target.ResolveLocally());
      out.origin = {{"source", "given"}, {"file", candidate_file_}};
      return out;
    }
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/false));
    ALT_ASSIGN_OR_RETURN(out.target, arguments_.target.Resolve(*session, context, /*waits=*/false));
    ALT_ASSIGN_OR_RETURN(const client::Answer answer,
                         session->client().Query({.workload = out.workload,
                                                  .target = out.target,
                                                  .fixed_layouts = fix,
                                                  .any_target = any_target_}));
    out.candidate = answer.candidate;
    out.origin = {{"source", std::string(client::AnswerSourceName(answer.source))},
                  {"record", answer.record}};
    if (answer.source != client::AnswerSource::kExact) {
      out.origin["reason"] = answer.reason;
      Note(absl::StrCat(
          "not tuned: ", answer.reason, "\nnext: ",
          session->CommandLine(absl::StrCat("tune ", ShellWord(workload::Print(out.workload)),
                                            TargetOption(*session, out.target))),
          "\n"));
    }
    return out;
  }

  absl::Status WriteAssembly(const client::ExportRequest& request,
                             const client::KernelExport& kernel, codegen::Codegen& codegen) {
    // The workspace is known once the code is.
    ALT_ASSIGN_OR_RETURN(const runtime::Artifact artifact, codegen.Compile(kernel.module));
    ALT_ASSIGN_OR_RETURN(const std::string text, codegen.Assembly(kernel.module));
    return base::WriteFileAtomically(
        output_,
        absl::StrCat(text, client::AliasAssembly(kernel.aliases),
                     client::MetadataAssembly(
                         request.name + "_metadata",
                         client::ExportMetadata(request, kernel, artifact.workspace_bytes))));
  }

  // Returns the header's path.
  absl::StatusOr<std::string> WriteBinary(const Context& context, absl::string_view ending,
                                          const client::ExportRequest& request,
                                          const client::KernelExport& kernel,
                                          codegen::Codegen& codegen) {
    const Environment& environment = context.environment;
    ALT_ASSIGN_OR_RETURN(const runtime::Artifact artifact, codegen.Compile(kernel.module));
    ALT_ASSIGN_OR_RETURN(std::string binary,
                         client::LinkObject({.object = artifact.object,
                                             .aliases = kernel.aliases,
                                             .metadata_symbol = request.name + "_metadata",
                                             .metadata = client::ExportMetadata(
                                                 request, kernel, artifact.workspace_bytes),
                                             .search_path = environment.path,
                                             .temp_dir = environment.temp_dir}));
    if (ending == ".so") {
      ALT_ASSIGN_OR_RETURN(const std::string linker, codegen::FindLinker(environment.path));
      ALT_ASSIGN_OR_RETURN(
          binary,
          codegen::LinkSharedObject(binary, {.linker = linker, .temp_dir = environment.temp_dir}));
    }
    ALT_RETURN_IF_ERROR(base::WriteFileAtomically(output_, binary));
    const std::string header = std::filesystem::path(output_).replace_extension(".h").string();
    ALT_RETURN_IF_ERROR(base::WriteFileAtomically(
        header, client::ExportHeader(request, kernel, artifact.workspace_bytes)));
    return header;
  }

  static void Print(const Context& context, const client::ExportRequest& request,
                    const std::vector<std::string>& files) {
    if (context.options.json) {
      Json out = {{"files", files},
                  {"name", request.name},
                  {"workload", workload::Print(request.workload)},
                  {"target", target::PrintTarget(request.target)}};
      for (const auto& [key, value] : request.origin) out[key] = value;
      PrintJson(out);
      return;
    }
    for (const std::string& file : files) Out(absl::StrCat(file, "\n"));
    if (absl::EndsWith(files[0], ".so") && target::HostRuns(request.target)) {
      Note(absl::StrCat("next: ", ShellWord(context.environment.program), " run ",
                        ShellWord(files[0]), " --check\n"));
    }
  }

  WorkloadArguments arguments_;
  std::string output_, name_, candidate_file_;
  bool any_target_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCompileCommand() { return std::make_unique<CompileCommand>(); }

}  // namespace alt::cli
