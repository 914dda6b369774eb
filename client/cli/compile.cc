#include <CLI/CLI.hpp>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/arguments.h"
#include "client/cli/cli_error.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/kernel_export.h"
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
    return "Export a workload's best known kernel as .so, .o, .s or .ll, with a C header";
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
                        absl::StrCat("unknown ending '", ending, "'"),
                        "-o with a file that ends with .so, .o, .ll or .s");
    }
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
    ALT_RETURN_IF_ERROR(base::WriteFileAtomically(output_, library.contents));
    ALT_RETURN_IF_ERROR(base::WriteFileAtomically(header, library.header));
    Print(context, request, {output_, header});
    return absl::OkStatus();
  }

 private:
  static codegen::LibraryForm FormOf(absl::string_view ending) {
    if (ending == ".ll") return codegen::LibraryForm::kLlvmIr;
    return ending == ".s" ? codegen::LibraryForm::kAssembly : codegen::LibraryForm::kObject;
  }

  absl::StatusOr<client::ExportRequest> MakeRequest(Context& context) {
    client::ExportRequest out{.name = name_.empty() ? client::NameFromPath(output_) : name_,
                              .check_alignment = !unchecked_};
    if (out.name != client::NameFromPath(out.name + ".o")) {
      return UsageError(absl::StrCat("cannot use --name=", out.name), "not a C identifier");
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
    ALT_ASSIGN_OR_RETURN(const auto session, Session::Open(context, /*measures=*/false));
    ALT_ASSIGN_OR_RETURN(out.target, arguments_.target.Resolve(*session, context, /*waits=*/false));
    ALT_ASSIGN_OR_RETURN(const job::Answer answer,
                         session->client().Query({.workload = out.workload,
                                                  .target = out.target,
                                                  .fixed_layouts = fix,
                                                  .any_target = any_target_}));
    out.candidate = answer.candidate;
    out.origin = {{"source", std::string(job::AnswerSourceName(answer.source))},
                  {"record", answer.record}};
    if (answer.source != job::AnswerSource::kExact) {
      out.origin["reason"] = answer.reason;
      Note(absl::StrCat(
          "not tuned: ", answer.reason, "\nnext: ",
          session->CommandLine(absl::StrCat("tune ", ShellWord(workload::Print(out.workload)),
                                            TargetOption(*session, out.target))),
          "\n"));
    }
    return out;
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
  bool any_target_ = false, unchecked_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeCompileCommand() { return std::make_unique<CompileCommand>(); }

}  // namespace alt::cli
