#include "common/codegen/llvm/llvm_codegen.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/codegen/llvm/check_module.h"
#include "common/codegen/llvm/emit_kernel.h"
#include "common/codegen/llvm/llvm_passes.h"
#include "common/codegen/llvm/llvm_status.h"
#include "common/codegen/llvm/llvm_target.h"

namespace alt::codegen {
namespace {

// One compilation. Nothing of LLVM is shared between two of them, so that they may run at once.
struct Session {
  // In the order of destruction's dependencies: the last goes first.
  llvm::LLVMContext context;
  std::unique_ptr<llvm::LLVMTargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  llvm::legacy::PassManager passes;
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream{output};
  std::string errors;  // what LLVM's diagnostics say
  int64_t workspace_bytes = 0;
  runtime::CodeFacts facts;
};

void RecordDiagnostic(const llvm::DiagnosticInfo* info, void* errors) {
  if (info->getSeverity() != llvm::DS_Error) return;
  llvm::raw_string_ostream stream(*static_cast<std::string*>(errors));
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  stream << "; ";
}

// Where a cache of objects will go: functions[1..] of a module (register tiles that lowering
// outlines) each become a Session of their own, whose output is kept by FunctionKey = hash of the
// target's text, ir::Print(function) and a version of this directory, bounded by bytes; Compile
// then joins the objects with `ld -r`, and the functions call each other by hidden symbols. A
// Session shares nothing with others, so that this needs no change below EmitKernel. Until then
// functions do not call one another and a module is one object.
class LlvmCodegen : public Codegen {
 public:
  explicit LlvmCodegen(target::Target target) : target_(std::move(target)) {}

  absl::StatusOr<runtime::Artifact> Compile(const ir::Module& module) override {
    ALT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                         Run(module, nullptr, Printer(LibraryForm::kObject)));
    runtime::Artifact artifact;
    artifact.object = std::string(session->output);
    artifact.name = module.functions[0].name;
    artifact.workspace_bytes = session->workspace_bytes;
    artifact.facts = session->facts;
    ALT_ASSIGN_OR_RETURN(artifact.facts.code_bytes, CodeBytes(session->output));
    return artifact;
  }

  absl::StatusOr<std::string> Assembly(const ir::Module& module) override {
    ALT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                         Run(module, nullptr, Printer(LibraryForm::kAssembly)));
    return std::string(session->output);
  }

  absl::StatusOr<std::string> LlvmIr(const ir::Module& module) override {
    ALT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                         Run(module, nullptr, Printer(LibraryForm::kLlvmIr)));
    return std::string(session->output);
  }

  absl::StatusOr<Library> Export(const ir::Module& module, const LibraryOptions& options,
                                 LibraryForm form) override {
    ALT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Run(module, &options, Printer(form)));
    return Library{std::string(session->output), session->workspace_bytes};
  }

 private:
  static std::function<absl::Status(Session&)> Printer(LibraryForm form) {
    switch (form) {
      case LibraryForm::kObject:
        return [](Session& s) { return PrintCode(llvm::CodeGenFileType::ObjectFile, s); };
      case LibraryForm::kAssembly:
        return [](Session& s) { return PrintCode(llvm::CodeGenFileType::AssemblyFile, s); };
      case LibraryForm::kLlvmIr:
        break;
    }
    return [](Session& s) {
      s.module->print(s.stream, nullptr);
      return absl::OkStatus();
    };
  }

  // Emits a module, then hands it to `finish`.
  absl::StatusOr<std::unique_ptr<Session>> Run(
      const ir::Module& module, const LibraryOptions* library,
      absl::FunctionRef<absl::Status(Session&)> finish) const {
    ALT_RETURN_IF_ERROR(CheckModule(module));
    auto session = std::make_unique<Session>();
    bool fatal = false;
    absl::Status status = CatchFatalErrors(
        [&]() -> absl::Status {
          ALT_RETURN_IF_ERROR(Emit(module, library, *session));
          return finish(*session);
        },
        &fatal);
    if (status.ok() && !session->errors.empty()) {
      status = absl::InternalError(absl::StrCat("LLVM: ", session->errors));
    }
    if (fatal) static_cast<void>(session.release());  // see CatchFatalErrors
    if (!status.ok()) {
      return base::Annotate(status, absl::StrCat("compile ", module.functions[0].name));
    }
    return session;
  }

  // library: nullptr for the kernels alone.
  absl::Status Emit(const ir::Module& module, const LibraryOptions* library,
                    Session& session) const {
    ALT_ASSIGN_OR_RETURN(session.machine, CreateTargetMachine(target_));
    session.context.setDiagnosticHandlerCallBack(RecordDiagnostic, &session.errors);
    session.module = std::make_unique<llvm::Module>(module.functions[0].name, session.context);
    session.module->setTargetTriple(session.machine->getTargetTriple().str());
    session.module->setDataLayout(session.machine->createDataLayout());
    session.module->setPICLevel(llvm::PICLevel::SmallPIC);
    ModuleState state{*session.module,
                      target_.threads > 1,
                      target_.vec_bits,
                      target::NumVectorRegisters(target_),
                      FunctionAttributes(target_, session.context),
                      {}};
    session.workspace_bytes =
        library == nullptr ? EmitKernels(&state, module) : EmitLibrary(&state, module, *library);
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(*session.module, &stream)) {
      return absl::InternalError(absl::StrCat("emitted LLVM IR is malformed: ", stream.str()));
    }
    return absl::OkStatus();
  }

  static absl::Status PrintCode(llvm::CodeGenFileType type, Session& session) {
    ALT_RETURN_IF_ERROR(
        AddCodePasses(*session.machine, type, session.passes, session.stream, &session.facts));
    session.passes.run(*session.module);
    return absl::OkStatus();
  }

  static absl::StatusOr<int64_t> CodeBytes(llvm::StringRef object) {
    llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
        llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "kernel"));
    if (!file) return absl::InternalError(llvm::toString(file.takeError()));
    int64_t bytes = 0;
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
      if (section.isText()) bytes += static_cast<int64_t>(section.getSize());
    }
    return bytes;
  }

  const target::Target target_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Codegen>> CreateLlvmCodegen(const target::Target& target) {
  // Asked for now, so that a bad target is an error before the first module comes.
  ALT_RETURN_IF_ERROR(CreateTargetMachine(target).status());
  return std::unique_ptr<Codegen>(std::make_unique<LlvmCodegen>(target));
}

std::string LlvmVersion() { return std::to_string(LLVM_VERSION_MAJOR); }

}  // namespace alt::codegen
